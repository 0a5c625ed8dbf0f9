import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createInstallDriverRegistry,
  type InstallDriverObservation,
  type InstallDriverRegistry,
  observeInstall,
  sha256Hex,
} from "../../src/index.ts";

export const INSTALLER_ID = "file-installer-v1";

/** The text of a capability. */
export const bodyOf = (capabilityId: string): string => `the text of ${capabilityId}\n`;

/** What is called around the steps of the driver. */
export interface DriverSteps {
  readonly step: (
    name: "connect" | "apply:before" | "apply:after" | "reconcile" | "release",
    capabilityId: string,
  ) => void;
}

/** A driver that writes a file, and a line in a log for every time it does: the log shows what was done twice. */
export function fileRegistry(directory: string, { step }: DriverSteps): InstallDriverRegistry {
  return createInstallDriverRegistry([
    {
      driverId: INSTALLER_ID,
      capabilityKind: "skill",
      hostIdentityDigest: sha256Hex("host"),
      targetIdentityDigest: sha256Hex(directory),
      factory: {
        absenceProves: "not-applied",
        connect: (request) => {
          const { entityId } = request.action;
          const path = join(directory, sha256Hex(entityId));
          step("connect", entityId);
          return Promise.resolve({
            applyOnce: async () => {
              step("apply:before", entityId);
              await appendFile(join(directory, "applied.log"), `${entityId}\n`);
              await writeFile(path, bodyOf(entityId));
              step("apply:after", entityId);
            },
            reconcile: async () => {
              step("reconcile", entityId);
              return observeInstall(request, await look(path, bodyOf(entityId)));
            },
            [Symbol.asyncDispose]: () => {
              step("release", entityId);
              return Promise.resolve();
            },
          });
        },
      },
    },
  ]);
}

async function look(path: string, expected: string): Promise<InstallDriverObservation["state"]> {
  try {
    return (await readFile(path, "utf8")) === expected ? "installed-exact" : "conflict";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "absent" : "indeterminate";
  }
}
