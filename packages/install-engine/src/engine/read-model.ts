import type { InstallExecutionStatus, JournalWaitOptions } from "../journal.ts";
import { STREAM_PAGE_STREAMS } from "../limits.ts";
import { checkInstallAction, type InstallCapabilityAction, type RequestConsentAction } from "../types/action.ts";
import { type StreamId, streamKeyOf } from "../types/scope.ts";
import type { EngineState, InstalledCapability } from "../types/state.ts";
import { type EngineContext, requireOpen, stateOf, viewStream } from "./context.ts";
import { type GrantedInstall, grantedOf } from "./plan.ts";

/** A capability that is settled as applied, and the stream that says so. */
export interface ListedInstall extends InstalledCapability {
  readonly stream: StreamId;
}

/** See `InstallEngine.listInstalled`. */
export async function* listInstalled(
  context: EngineContext,
  filter: Partial<StreamId>,
  options: JournalWaitOptions = {},
): AsyncGenerator<ListedInstall> {
  requireOpen(context);
  let after: string | undefined;
  for (;;) {
    const page = await context.journal.streams(filter, {
      limit: STREAM_PAGE_STREAMS,
      ...(after === undefined ? {} : { after }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    for (const snapshot of page) {
      for (const installed of stateOf(context, snapshot).installed) {
        yield { ...installed, stream: snapshot.stream };
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < STREAM_PAGE_STREAMS) {
      return;
    }
    after = last.streamKey;
  }
}

/** What is open in one stream. */
export interface StreamOverview {
  readonly revision: number;
  /** The consent request to decide next, if any. */
  readonly consent: RequestConsentAction | null;
  /** Grants that are not closed yet. */
  readonly pending: readonly GrantedInstall[];
  /** Action ids that `reoffer` accepts, with why. */
  readonly reofferable: readonly {
    readonly actionId: string;
    readonly capabilityId: string;
    readonly reason: string;
  }[];
  readonly installed: readonly InstalledCapability[];
  readonly blockedDescriptorDigests: readonly string[];
}

/** See `InstallEngine.overview`. */
export async function streamOverview(
  context: EngineContext,
  stream: StreamId,
  options?: JournalWaitOptions,
): Promise<StreamOverview | null> {
  const { state } = await viewStream(context, streamKeyOf(stream), options);
  return state === null ? null : overviewOf(state);
}

function overviewOf(state: EngineState): StreamOverview {
  return {
    revision: state.revision,
    consent: state.pendingConsent,
    pending: state.pendingEffects.map(grantedOf),
    reofferable: state.reofferable.map(({ actionId, reason, planned }) => ({
      actionId,
      capabilityId: planned.selection.capabilityId,
      reason,
    })),
    installed: state.installed,
    blockedDescriptorDigests: state.blockedInstallDescriptorDigests,
  };
}

/** See `InstallEngine.status`. */
export function installStatus(
  context: EngineContext,
  action: InstallCapabilityAction,
  options?: JournalWaitOptions,
): Promise<InstallExecutionStatus> {
  requireOpen(context);
  const { scope, actionId } = checkInstallAction(action);
  return context.journal.status({ streamKey: streamKeyOf(scope), actionId }, options);
}
