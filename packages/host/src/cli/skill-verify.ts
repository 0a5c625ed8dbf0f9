import type { Command } from "commander";

import { HostError } from "../error.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { type CommonOptions, meshCommand, runCommand } from "./command.ts";

/** `mesh skill verify`: reads every object of the store again, reports, and changes nothing. */
export function skillVerifyCommand(): Command {
  return meshCommand("verify", "read every object of the store and compare it with its name").action(
    async (options: CommonOptions) => {
      await runCommand(options, async ({ output, state, signal }) => {
        await using host = await composeSkillHost({ state, signal });
        const journal = await host.journal.verify({ signal });
        output.step(
          { step: "journal.verified", ...journal },
          {
            label: "journal",
            text: `${journal.records} records, ${journal.claims} claims, chain intact`,
            tone: "good",
          },
        );
        let exact = 0;
        let conflicts = 0;
        for await (const finding of host.store.verify()) {
          signal.throwIfAborted();
          if (finding.state === "exact") {
            exact += 1;
            output.step({ step: "skill.verified", ...finding });
          } else {
            conflicts += 1;
            output.step(
              { step: "skill.conflict", ...finding },
              { label: "conflict", text: `${finding.digest}: ${finding.reason.code}`, tone: "bad" },
            );
          }
        }
        output.step(
          { step: "skill.verify", exact, conflicts },
          {
            label: "store",
            text: `${exact} objects exact, ${conflicts} in conflict`,
            tone: conflicts === 0 ? "good" : "bad",
          },
        );
        if (conflicts > 0) {
          throw new HostError({
            code: "STORE_INCONSISTENT",
            message: `${conflicts} of ${exact + conflicts} objects are in conflict. Nothing was changed; their owner may quarantine them.`,
          });
        }
      });
    },
  );
}
