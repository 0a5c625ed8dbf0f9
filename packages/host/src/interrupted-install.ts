import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";

import { memoryBodySource } from "@mesh/skill-cas/driver";

import { type KilledInstallRequest, STANDING_LINE } from "./demo/killed-install.ts";
import { installSkill } from "./skills/install-skill.ts";
import { composeSkillHost } from "./skills/skill-host.ts";
import { openStateDirectory } from "./state-directory.ts";

// The demo's child. Its parent wrote the request, so its shape is known; it installs as the command does and stops for good
// between the link of the object and the effect after it, where the parent kills it.
const request = JSON.parse(await text(process.stdin)) as KilledInstallRequest;

function standStill(): void {
  writeSync(1, `${STANDING_LINE}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

await using host = await composeSkillHost({
  state: openStateDirectory(request.stateDirectory),
  bodySource: memoryBodySource(request.body),
  interpreter: "sync",
  onEffect: ({ effect }) => {
    if (effect.kind === "link") standStill();
  },
});
await installSkill(host, { name: request.name, body: request.body, consent: { kind: "preapproved" } });
