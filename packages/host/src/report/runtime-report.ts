import { locateAddon } from "@mesh/ffi";
import { formatAbiVersion } from "@mesh/ffi/runtime";

import { type HostRuntime, openHostRuntime, REQUIRED_ABI } from "../runtime/open-runtime.ts";
import { ensurePrivateDirectory } from "../state-directory.ts";
import type { CommandContext } from "./context.ts";

/** Digits of a digest that a person is shown; the JSON form has all of them. */
const DIGEST_DIGITS_SHOWN = 16;

/** The beginning of a digest, for people. */
export function shortDigest(digest: string): string {
  return digest.slice(0, DIGEST_DIGITS_SHOWN);
}

/** Reports the process and the addon: what does not depend on any runtime. */
export function reportProcess({ output }: CommandContext): void {
  const addon = locateAddon();
  output.step(
    { step: "doctor.node", version: process.version, execPath: process.execPath },
    { label: "node", text: process.version },
  );
  output.step(
    { step: "doctor.platform", platform: addon.platform, arch: addon.arch, libc: addon.libc },
    { label: "platform", text: `${addon.platform} ${addon.arch}, libc ${addon.libc}` },
  );
  output.step({ step: "doctor.addon", path: addon.path }, { label: "addon", text: addon.path });
}

/** Verifies the bundle, admits the runtime, and reports both. */
export async function openReportedRuntime(
  context: CommandContext,
  bundleDirectory: string | undefined,
): Promise<HostRuntime> {
  const { output, state } = context;
  ensurePrivateDirectory(state.runtimes);
  const host = await openHostRuntime({
    cacheDirectory: state.runtimes,
    ...(bundleDirectory === undefined ? {} : { bundleDirectory }),
  });
  const { bundle, runtime } = host;
  output.step(
    { step: "doctor.abi", required: REQUIRED_ABI, found: formatAbiVersion(runtime.abi), features: runtime.features },
    { label: "abi", text: `required ${REQUIRED_ABI}, found ${formatAbiVersion(runtime.abi)}`, tone: "good" },
  );
  output.step(
    {
      step: "doctor.runtime",
      id: bundle.id,
      directory: bundle.directory,
      manifestDigest: bundle.manifestDigest,
      files: bundle.files,
      confirmedFamilies: runtime.capabilities.confirmedFamilies,
      healthMessages: runtime.capabilities.healthMessages,
    },
    { label: "runtime", text: `${bundle.id} in ${bundle.directory}` },
    {
      label: "digests",
      text: `${bundle.files.length} files verified, manifest sha256 ${shortDigest(bundle.manifestDigest)}…`,
      tone: "good",
    },
    ...runtime.capabilities.healthMessages.map((text) => ({ label: "health", text, tone: "bad" }) as const),
  );
  return host;
}
