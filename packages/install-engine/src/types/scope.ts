import { z } from "zod";
import { canonicalJson } from "../canonical-json.ts";
import { sha256Hex } from "../digest.ts";
import { check } from "../parse.ts";
import { wireText } from "../wire.ts";
import { trimmedTextSchema } from "./identifiers.ts";

/** Where an event or action belongs (spec 3). */
export const scopeSchema = z
  .strictObject({
    tenantId: trimmedTextSchema,
    workspaceId: trimmedTextSchema,
    repositoryId: trimmedTextSchema,
    sessionId: trimmedTextSchema,
    exposureId: trimmedTextSchema,
    hostContextId: trimmedTextSchema,
    parentExposureId: trimmedTextSchema.nullable(),
  })
  .readonly();

/** Where an event or action belongs. The first four members name the journal stream. */
export type ScopeRef = z.output<typeof scopeSchema>;

/** The four members that name one journal stream. */
export interface StreamId {
  readonly tenantId: string;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly sessionId: string;
}

/** What a host says of a scope. */
export type ScopeInput = Partial<ScopeRef>;

/** What a scope says where its host says nothing: one tenant, no repository, nothing exposed. */
const SCOPE_DEFAULTS = {
  tenantId: "local",
  workspaceId: "local",
  repositoryId: "none",
  sessionId: "none",
  exposureId: "none",
  hostContextId: "none",
  parentExposureId: null,
};

/**
 * Makes a scope. What is left out is `"local"` (tenant, workspace) or `"none"`.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createScope(input: ScopeInput): ScopeRef {
  return check(scopeSchema, { ...SCOPE_DEFAULTS, ...input }, "scope");
}

/** The stream of a scope. */
export function streamIdOf(scope: StreamId): StreamId {
  const { tenantId, workspaceId, repositoryId, sessionId } = scope;
  return { tenantId, workspaceId, repositoryId, sessionId };
}

/** The stream key: the canonical text of the four members itself, not hashed (spec 2.1). */
export function streamKeyOf(scope: StreamId): string {
  return wireText(streamIdOf(scope), "utf8");
}

/** Base name of the per-action lock (spec 2.1): two handles of one action never run at the same time. */
export function actionLockName(streamKey: string, actionId: string): string {
  return sha256Hex(
    canonicalJson({ action_id: actionId, schema: "ctx.install-execution-lock-v1", stream_key: streamKey }, "utf8"),
  );
}
