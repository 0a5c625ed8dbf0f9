export { type ChangingEffect, type Effect, isChanging, type ReadingEffect } from "./effects.ts";
export { type Fact, type Facts, SkillCasError, type SkillCasErrorCode, type SkillCasErrorInput } from "./error.ts";
export type { CompletedEffect, EffectObserver } from "./interpreters/run.ts";
export {
  BATCH_OBJECTS_MAX,
  LOCK_WAIT_MS_MAX,
  MATERIAL_BYTES_MAX,
  OBJECT_BYTES_MAX,
  STAGES_MAX,
} from "./layout.ts";
export type { QuarantineRecord } from "./quarantine.ts";
export type { SweepFinding } from "./sweep.ts";
export type { PutManyResult } from "./worker/client.ts";
export type { Conflict, ConflictCode } from "./reason.ts";
export { readMaterialFile } from "./material-file.ts";
export type { ObjectFinding, ObjectStatus, VerifyOptions } from "./store/object-status.ts";
export type { PutResult } from "./store/request.ts";
export type { StoreFacts } from "./store/session.ts";
export { type OpenSkillStoreOptions, openSkillStore, type SkillStore } from "./store/store.ts";
export { openSkillStoreSync, type SkillStoreSync } from "./store/store-sync.ts";
export { type ParseSkillOptions, parseSkill, type Skill } from "./skill/parse.ts";
export type { SkillFields } from "./skill/fields.ts";
export type { SkillWarning } from "./skill/warnings.ts";
