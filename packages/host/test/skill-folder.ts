import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";
import { mesh } from "./mesh-command.ts";

/** The text of a skill that every reader accepts. */
export function skillText(name: string, body = "Use it."): string {
  return `---\nname: ${name}\ndescription: A skill that the tests of the host install.\n---\n\n${body}\n`;
}

/** Writes a skill into a folder of its name, as a person would keep it; gives the path of its file. */
export async function writeSkill(
  folder: string,
  name: string,
  text: string | Uint8Array = skillText(name),
): Promise<string> {
  const skill = join(folder, name);
  await mkdir(skill, { recursive: true });
  const file = join(skill, "SKILL.md");
  await writeFile(file, text);
  return file;
}

/**
 * What every refused input must leave behind: a store and a journal that still install, list, read and verify. Run after
 * the refusal, on the same state.
 */
export async function expectWorkingHost(folder: string, state: string): Promise<void> {
  const name = "after-the-refusal";
  const file = await writeSkill(folder, name);
  const installed = await mesh(["skill", "install", file, "--yes", "--state", state]);
  expect(installed.error).toBeUndefined();
  expect(installed.status).toBe(0);
  const verified = await mesh(["skill", "verify", "--state", state]);
  expect(verified.status).toBe(0);
  expect(verified.steps.at(-1)).toMatchObject({ step: "skill.verify", conflicts: 0 });
  const text = await mesh(["skill", "cat", name, "--state", state]);
  expect(text.steps.at(-1)).toMatchObject({ text: skillText(name) });
}
