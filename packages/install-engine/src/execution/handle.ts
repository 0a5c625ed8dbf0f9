import { threadId } from "node:worker_threads";
import { type AuthorizedInstall, checkExecuteRequest, type ExecuteInstallRequest } from "../engine/authorize.ts";
import { type EngineContext, requireOpen } from "../engine/context.ts";
import { InstallEngineError } from "../error.ts";
import type { JournalWaitOptions } from "../journal.ts";
import { noteReport } from "../recovery/last-seen.ts";
import { type InstallExecutionReport } from "./report.ts";
import { runInstall } from "./run.ts";

/**
 * The right to run one action once, in this process and on this thread (spec 7.1). It cannot be cloned, posted or
 * serialised, and shows nothing of what it holds.
 */
export interface InstallExecutionHandle {
  /**
   * Runs the action: takes its lock, claims it if nobody has, applies only then, looks at the world always, and settles
   * what was seen (spec 7.2).
   *
   * @throws InstallEngineError HANDLE_PROCESS_MISMATCH and HANDLE_THREAD_MISMATCH (nothing is consumed),
   * HANDLE_CONSUMED, ACTION_LOCK_TIMEOUT, ACTION_EXPIRED, ACTION_NOT_PENDING, one of the *_SUBSTITUTED codes,
   * TARGET_REFUSED, SETTLEMENT_CONTENDED, or a code of the journal; the reason of `signal`, and any fatal error of the
   * driver, after settlement.
   */
  readonly execute: (options?: JournalWaitOptions) => Promise<InstallExecutionReport>;
}

/** See `InstallEngine.prepareInstallExecution`. */
export function prepareInstallExecution(
  context: EngineContext,
  request: ExecuteInstallRequest,
): InstallExecutionHandle {
  requireOpen(context);
  const install = checkExecuteRequest(request);
  const owner = { process: process.pid, thread: threadId };
  let consumed = false;
  const execute = async (options: JournalWaitOptions = {}): Promise<InstallExecutionReport> => {
    requireOwner(owner);
    if (consumed) {
      throw new InstallEngineError({
        code: "HANDLE_CONSUMED",
        message: "this handle ran already; prepare another one, which reconciles if the action is claimed",
        facts: { actionId: install.action.actionId },
      });
    }
    consumed = true;
    return executeLocked(context, install, options);
  };
  // `execute` is an own function member: structuredClone and postMessage refuse a function, so they refuse the handle.
  return Object.freeze({
    execute,
    toJSON: refuseSerialization,
    toString: () => OPAQUE,
    [Symbol.for("nodejs.util.inspect.custom")]: () => OPAQUE,
  });
}

const OPAQUE = "[InstallExecutionHandle]";

async function executeLocked(
  context: EngineContext,
  install: AuthorizedInstall,
  options: JournalWaitOptions,
): Promise<InstallExecutionReport> {
  requireOpen(context);
  const key = { streamKey: install.streamKey, actionId: install.action.actionId };
  const report = await context.journal.withActionLock(key, () => runInstall(context, install, options), options);
  await noteReport(context, key, report);
  return report;
}

function requireOwner(owner: { readonly process: number; readonly thread: number }): void {
  if (process.pid !== owner.process) {
    throw new InstallEngineError({
      code: "HANDLE_PROCESS_MISMATCH",
      message: `this handle belongs to process ${owner.process}, not to ${process.pid}; nothing was consumed`,
      facts: { found: process.pid, expected: owner.process },
    });
  }
  if (threadId !== owner.thread) {
    throw new InstallEngineError({
      code: "HANDLE_THREAD_MISMATCH",
      message: `this handle belongs to thread ${owner.thread}, not to ${threadId}; nothing was consumed`,
      facts: { found: threadId, expected: owner.thread },
    });
  }
}

function refuseSerialization(): never {
  throw new InstallEngineError({
    code: "HANDLE_NOT_CLONEABLE",
    message: "an execution handle is a right, not a value: it cannot be serialised",
  });
}
