import type { SkillHost } from "./skill-host.ts";

/** A skill that is settled as installed. */
export interface InstalledSkill {
  readonly name: string;
  /** sha256 of its text: its name in the store. */
  readonly digest: string;
  readonly bytes: number;
  readonly installedAt: string;
}

/** The prefix of a skill's capability id. */
const SKILL_PREFIX = "skill:";

/**
 * Every installed skill by name, with the text that was installed last under it, in the order of the names. Each install
 * has a stream of its own, so one name may have been settled several times.
 */
export async function installedSkills(host: SkillHost, signal: AbortSignal): Promise<readonly InstalledSkill[]> {
  const byName = new Map<string, InstalledSkill>();
  for await (const { material, installedAt } of host.engine.listInstalled({}, { signal })) {
    if (material.kind !== "skill") continue;
    const name = material.capabilityId.slice(SKILL_PREFIX.length);
    const known = byName.get(name);
    if (known !== undefined && known.installedAt >= installedAt) continue;
    byName.set(name, { name, digest: material.contentSha256, bytes: material.contentBytes, installedAt });
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}
