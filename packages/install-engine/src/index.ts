export { type CanonicalFlavour, type CanonicalValue, canonicalJson } from "./canonical-json.ts";
export { digestAscii, digestUtf8, sha256Hex } from "./digest.ts";
export type {
  HeldInstallDriver,
  InstallDriverFactory,
  InstallDriverObservation,
  InstallDriverRequest,
  InstallReason,
  InstallTarget,
} from "./driver.ts";
export { observeInstall } from "./observe.ts";
export { composeInstalls, type InstallComposition, type InstallCompositionOptions } from "./composition.ts";
export {
  type CoreErrorCode,
  type EngineErrorCode,
  type ErrorFact,
  InstallEngineError,
  type InstallEngineErrorCode,
  type InstallEngineErrorInput,
  isFatal,
} from "./error.ts";
export {
  type InstallAbandonment,
  type InstallClaim,
  type InstallOutcome,
  type InstallSettlement,
  installAbandonmentDigest,
  installClaimDigest,
  installOutcomeDigest,
  installSettlementDigest,
  installTargetText,
  type JournalEntry,
  type JournalRecord,
  journalEntryDigest,
  journalRecordDigest,
} from "./journal/rows.ts";
export type {
  ActionKey,
  ClaimRequest,
  ClaimResult,
  CommitGuard,
  CommitRequest,
  CommitResult,
  InstallExecutionStatus,
  JournalHead,
  JournalStore,
  JournalVerification,
  JournalWaitOptions,
  OutcomeRequest,
  OutcomeResult,
  PageOptions,
  StreamHead,
  StreamSnapshot,
} from "./journal.ts";
export { awaitsAction, issuesAction } from "./journal/action-text.ts";
export {
  type AnchorRecord,
  abandonmentFault,
  type ClaimTerms,
  claimFault,
  claimTermsFault,
  closesAction,
  materialToObserve,
  outcomeFault,
  receiptEventId,
  recordTextsFault,
  settlementFault,
} from "./journal/anchors.ts";
export { checkClaimRequest, checkCommitRequest, checkPage } from "./journal/request-check.ts";
export { routeConsent } from "./policy.ts";
export { REDUCER_VERSION, type ReductionResult, reduce } from "./reducer/reduce.ts";
export { parseReplayInput, type ReplayInput, replayRecord, type SealedStep, sealStep } from "./reducer/replay.ts";
export {
  checkEngineEvent,
  type EngineEvent,
  type EngineEventOf,
  engineEventText,
  eventContentDigest,
  eventIdentityDigest,
} from "./types/event.ts";
export { FAILURE_VERIFIED_ABSENT, type InstallReceipt } from "./types/event-payload.ts";
export {
  type EngineState,
  engineStateText,
  type InstalledCapability,
  type PendingEffect,
  type PlannedInstall,
  parseEngineState,
} from "./types/state.ts";
export { parseTransition, type Transition, transitionText } from "./types/transition.ts";
export type { JournalErrorCode } from "./journal-error-code.ts";
export { ACTION_LIFE_MS, CONSENT_LIFE_MS, LOCK_WAIT_MS_MAX, MATERIAL_BYTES_MAX } from "./limits.ts";
export {
  addMilliseconds,
  type Clock,
  compareTimestamps,
  isTimestamp,
  systemClock,
  type Timestamp,
  timestampOf,
} from "./timestamp.ts";
export {
  actionContentDigest,
  actionIdentityDigest,
  actionIdOf,
  type ConsentRoute,
  checkInstallAction,
  consentIdOf,
  type HostAction,
  hostActionText,
  type InstallCapabilityAction,
  parseInstallAction,
  type RequestConsentAction,
} from "./types/action.ts";
export { type CatalogCapabilityIdentity, createCatalogIdentity } from "./types/catalog-identity.ts";
export {
  type ConsentMode,
  createConsentPolicy,
  type InstallConsentPolicy,
  type InstallConsentPolicyInput,
  parseConsentPolicy,
} from "./types/consent-policy.ts";
export {
  createExecutionBinding,
  executionBindingText,
  INSTALLER_DIGEST,
  type InstallExecutionBinding,
  type InstallExecutionBindingInput,
  parseExecutionBinding,
} from "./types/execution-binding.ts";
export type { CapabilityKind, InstallableKind } from "./types/identifiers.ts";
export {
  createInstallPlanDescriptor,
  type InstallPlanDescriptor,
  type InstallPlanDescriptorInput,
  installPlanDescriptorDigest,
  parseInstallPlanDescriptor,
  promisesMaterial,
} from "./types/install-plan-descriptor.ts";
export { createInstalledLineage, type InstalledMaterialLineage } from "./types/lineage.ts";
export {
  createMaterialIdentity,
  identifyMaterial,
  type MaterialIdentity,
  type MaterialIdentityInput,
  materialIdentityDigest,
  parseMaterialIdentity,
} from "./types/material-identity.ts";
export { PRIVACY_DEFAULT, type PrivacyLabel } from "./types/privacy.ts";
export {
  actionLockName,
  createScope,
  type ScopeInput,
  type ScopeRef,
  type StreamId,
  streamIdOf,
  streamKeyOf,
} from "./types/scope.ts";
export {
  checkInstallSelection,
  createInstallSelection,
  type InstallSelection,
  type InstallSelectionInput,
  installSelectionDigest,
  parseInstallSelection,
} from "./types/selection.ts";
export { type SkillStoreRoot, skillObservationDigest, skillStoreTargetDigest } from "./types/skill-target.ts";
export { createInstallEngine, type InstallEngine, type InstallEngineOptions } from "./engine.ts";
export type { ExecuteInstallRequest } from "./engine/authorize.ts";
export {
  answerConsent,
  type ConsentAnswer,
  type ConsentPolicySource,
  type ConsentReservation,
  createConsentGuard,
  type InteractiveConsentGuard,
} from "./engine/consent-guard.ts";
export type { DecideRequest, Decision } from "./engine/decide.ts";
export { type DescribeInstallInput, describeInstall } from "./engine/describe.ts";
export type { GrantedInstall, InstallOffer, PlanInstallRequest, ReofferRequest } from "./engine/plan.ts";
export type { ListedInstall, StreamOverview } from "./engine/read-model.ts";
export type { InstallExecutionHandle } from "./execution/handle.ts";
export type { InstallExecutionReport } from "./execution/report.ts";
export type { AbandonRequest, RebindRequest } from "./recovery/operator.ts";
export type { RecoveredAction, RecoverOptions, RecoveryReport } from "./recovery/recover.ts";
export type { UnresolvedAction } from "./recovery/unresolved.ts";
export {
  createInstallDriverRegistration,
  createInstallDriverRegistry,
  type InstallDriverRegistration,
  type InstallDriverRegistrationInput,
  type InstallDriverRegistry,
} from "./registry.ts";
