/**
 * What the anchors read from the canonical texts of a journal: single members, nothing else. The engine parses the whole
 * texts when it replays; here a text only has to say the same as a row, and a full parse of each would make a
 * verification many times slower than the hashing it stands beside.
 */

/** The members of an install action that a claim repeats. */
export interface ActionMembers {
  readonly actionId: unknown;
  readonly kind: unknown;
  readonly preconditionRevision: unknown;
  readonly expiresAt: unknown;
  readonly materialIdentityDigest: unknown;
}

/** Reads those members from the canonical text of an action; undefined when the text is no object. */
export function actionMembers(text: string): ActionMembers | undefined {
  const action = parse(text);
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

/**
 * Whether a transition emits exactly this action, exactly once (spec 5.4, claim_install step 4).
 *
 * Both are canonical texts, so the action stands in the transition as it stands alone, and nothing inside a string can
 * look like it: there every quote is escaped.
 */
export function issuesAction(transitionText: string, actionText: string): boolean {
  const place = onlyPlace(transitionText, actionText);
  if (place === undefined || !transitionText.startsWith('{"actions":[')) {
    return false;
  }
  return "[,".includes(place.before.slice(-1)) && "],".includes(place.after.slice(0, 1));
}

/** Whether a state waits for exactly this action as an install effect, exactly once (spec 5.3, anchors). */
export function awaitsAction(stateText: string, actionText: string): boolean {
  const place = onlyPlace(stateText, actionText);
  return place !== undefined && place.before === '{"action":' && place.after === ',"effect":"install"';
}

/** Longest text beside an action that is looked at. */
const CONTEXT_CHARACTERS = { before: '{"action":'.length, after: ',"effect":"install"'.length };

/** What stands directly before and after a text that occurs exactly once in another; undefined otherwise. */
function onlyPlace(text: string, part: string): { readonly before: string; readonly after: string } | undefined {
  const start = text.indexOf(part);
  const end = start + part.length;
  if (part === "" || start === -1 || text.includes(part, end)) {
    return undefined;
  }
  const before = text.slice(Math.max(0, start - CONTEXT_CHARACTERS.before), start);
  return { before, after: text.slice(end, end + CONTEXT_CHARACTERS.after) };
}

/** What an event says it is, and of which action, outcome and decision. */
export interface EventMembers {
  readonly kind: unknown;
  readonly eventId: unknown;
  readonly actionId: unknown;
  readonly actionContentDigest: unknown;
  readonly outcomeDigest: unknown;
  readonly decision: unknown;
}

/** Reads those members from the replay text of a record. */
export function eventMembers(replayText: string): EventMembers {
  const replay = parse(replayText);
  return {
    kind: member(replay, ["event", "kind"]),
    eventId: member(replay, ["event", "event_id"]),
    actionId: member(replay, ["event", "payload", "action_id"]),
    actionContentDigest: member(replay, ["event", "payload", "action_content_digest"]),
    outcomeDigest: member(replay, ["event", "payload", "outcome_digest"]),
    decision: member(replay, ["event", "payload", "decision"]),
  };
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
