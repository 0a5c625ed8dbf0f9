import type { HostRuntime } from "../runtime/open-runtime.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import type { CommandContext } from "./context.ts";
import { openReportedRuntime, reportProcess } from "./runtime-report.ts";
import { reportSkillHost } from "./skill-report.ts";

/** Uses every part of the host once and reports it; the runtime stays loaded, everything else is closed again. */
export async function examineHost(context: CommandContext, bundleDirectory: string | undefined): Promise<HostRuntime> {
  reportProcess(context);
  const runtime = await openReportedRuntime(context, bundleDirectory);
  await using host = await composeSkillHost({ state: context.state, signal: context.signal });
  await reportSkillHost(context.output, host, context.state.journalFile);
  return runtime;
}
