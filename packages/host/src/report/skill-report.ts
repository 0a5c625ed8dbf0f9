import type { InstallExecutionReport } from "@mesh/install-engine";

import type { InstallStage } from "../skills/install-skill.ts";
import type { SkillHost } from "../skills/skill-host.ts";
import type { Output } from "./output.ts";
import { shortDigest } from "./runtime-report.ts";

/** Twelve permission bits as people write them: `0600`. */
export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Reports the journal and the store of a composed host. */
export async function reportSkillHost(output: Output, host: SkillHost, journalFile: string): Promise<void> {
  const { sequence, digest } = await host.journal.head();
  output.step(
    { step: "doctor.journal", path: journalFile, rows: sequence, head: digest },
    { label: "journal", text: `${journalFile}, ${sequence} rows` },
  );
  const { path, fileSystem, rootId, device, inode } = host.store.facts;
  output.step(
    { step: "doctor.store", path, fileSystem: fileSystem.name, readOnly: fileSystem.readOnly, rootId, device, inode },
    { label: "store", text: `${path} on ${fileSystem.name}${fileSystem.readOnly ? ", read-only" : ""}` },
  );
}

/** Reports each stage of an install as it becomes durable. */
export function showInstallStages(output: Output): (stage: InstallStage) => void {
  return (stage) => {
    switch (stage.kind) {
      case "consent-requested": {
        const { route } = stage.consent.payload;
        output.step(
          { step: "skill.install.consent", consentId: stage.consent.consentId, ...route },
          { label: "consent", text: `${route.basis}: ${route.reason}` },
        );
        return;
      }
      case "granted": {
        const { actionId, expiresAt } = stage.granted.action;
        output.step(
          { step: "skill.install.action", actionId, expiresAt },
          { label: "action", text: `${actionId.slice(0, 23)}… is durable, expires ${expiresAt}` },
        );
        return;
      }
      case "executed":
        reportExecution(output, stage.report);
        return;
    }
  };
}

/** Reports one run of an execution handle. */
export function reportExecution(output: Output, report: InstallExecutionReport): void {
  const reason = report.reason === null ? "" : `, ${report.reason.code}`;
  output.step(
    {
      step: "skill.install.report",
      outcome: report.outcome,
      claimWasNew: report.claimWasNew,
      settled: report.settled,
      retryable: report.retryable,
      reason: report.reason,
    },
    {
      label: "outcome",
      text: `${report.outcome}, claim ${report.claimWasNew ? "new" : "not new"}, ${report.settled ? "settled" : "not settled"}${reason}`,
      tone: report.outcome === "applied" ? "good" : "bad",
    },
  );
}

/** Reports what stands in the store under a digest; returns false where it is not a private object with one link. */
export async function reportObject(output: Output, host: SkillHost, digest: string): Promise<boolean> {
  const status = await host.store.stat(digest);
  if (status === undefined) {
    output.step({ step: "skill.object", digest, present: false }, { label: "object", text: "absent", tone: "bad" });
    return false;
  }
  const exact = status.kind === "regular" && status.mode === 0o600 && status.linkCount === 1;
  output.step(
    { step: "skill.object", present: true, ...status },
    {
      label: "object",
      text: `sha256 ${shortDigest(digest)}…, ${status.size} bytes, mode ${modeText(status.mode)}, ${status.linkCount} link`,
      tone: exact ? "good" : "bad",
    },
  );
  return exact;
}
