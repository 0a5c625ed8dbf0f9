import type { Command } from "commander";

import { HostError } from "../error.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { type CommonOptions, meshCommand, runCommand } from "./command.ts";
import type { Output } from "../report/output.ts";
import { reportExecution } from "../report/skill-report.ts";
import type { SkillHost } from "../skills/skill-host.ts";

/** `mesh skill recover`: settles every interrupted install by looking at the store. It never applies anything. */
export function skillRecoverCommand(): Command {
  return meshCommand("recover", "look at every interrupted install and settle what can be settled").action(
    async (options: CommonOptions) => {
      await runCommand(options, async ({ output, state, signal }) => {
        await using host = await composeSkillHost({ state, signal });
        const open = await recoverInstalls(output, host, signal);
        if (open === 0) return;
        throw new HostError({
          code: "INSTALL_UNRESOLVED",
          message: `${open} installs still need a person: the reason of each is above. Nothing was overwritten.`,
        });
      });
    },
  );
}

/** Recovers and reports each action; returns how many stay open. */
export async function recoverInstalls(output: Output, host: SkillHost, signal: AbortSignal): Promise<number> {
  const { actions, truncated } = await host.engine.recover(host.registry, { signal });
  let open = 0;
  for (const action of actions) {
    output.step(
      { step: "skill.recover.action", actionId: action.actionId, capabilityId: action.capabilityId, kind: action.kind },
      { label: "recovering", text: action.capabilityId },
    );
    if (action.kind === "finished") {
      reportExecution(output, action.report);
      if (!action.report.settled) open += 1;
    } else {
      open += 1;
      output.step(
        { step: "skill.recover.unresolved", actionId: action.actionId, reason: action.reason },
        { label: "unresolved", text: action.reason.code, tone: "bad" },
      );
    }
  }
  output.step(
    { step: "skill.recover", looked: actions.length, open, truncated },
    {
      label: "recovered",
      text: `${actions.length - open} of ${actions.length}${truncated ? ", run again for the rest" : ""}`,
    },
  );
  return open;
}
