import { canonicalJson, type CanonicalValue } from "../canonical-json.ts";

/** What the journal itself has to know of an install action. */
export interface ClaimedAction {
  readonly actionId: unknown;
  readonly kind: unknown;
  readonly preconditionRevision: unknown;
  readonly expiresAt: unknown;
  readonly materialIdentityDigest: unknown;
}

/** Reads those members from the canonical text of an action; undefined when the text is no object. */
export function claimedAction(text: string): ClaimedAction | undefined {
  const action = member(parse(text), []);
  if (typeof action !== "object" || action === null) {
    return undefined;
  }
  return {
    actionId: member(action, ["action_id"]),
    kind: member(action, ["kind"]),
    preconditionRevision: member(action, ["precondition_revision"]),
    expiresAt: member(action, ["expires_at"]),
    materialIdentityDigest: member(action, ["payload", "result_material", "identity_digest"]),
  };
}

/** How many times a transition emits exactly this action. An action is issued by one that emits it once (spec 5.4). */
export function timesIssued(transitionText: string, actionText: string): number {
  const actions = member(parse(transitionText), ["actions"]);
  return Array.isArray(actions) ? actions.filter((action) => textOf(action) === actionText).length : 0;
}

/** How many times a state waits for exactly this action as an install effect (spec 5.3, anchors). */
export function timesPending(stateText: string, actionText: string): number {
  const effects = member(parse(stateText), ["pending_effects"]);
  return Array.isArray(effects)
    ? effects.filter(
        (effect: unknown) =>
          member(effect, ["effect"]) === "install" && textOf(member(effect, ["action"])) === actionText,
      ).length
    : 0;
}

function textOf(value: unknown): string | undefined {
  try {
    // What JSON.parse gave is plain data; the encoder refuses the rest, floats for instance.
    return canonicalJson(value as CanonicalValue, "utf8");
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null) {
      return undefined;
    }
    current = Reflect.get(current, step);
  }
  return current;
}
