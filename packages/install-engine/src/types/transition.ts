import { z } from "zod";
import { checkCanonicalText } from "../parse.ts";
import { wireText } from "../wire.ts";
import { type HostAction, hostActionSchema } from "./action.ts";
import { revisionSchema } from "./identifiers.ts";
import { scopeSchema } from "./scope.ts";

const transitionSchema = z
  .strictObject({
    schema: z.literal("mesh.transition-v1"),
    scope: scopeSchema,
    eventId: z.string(),
    fromRevision: z.int().min(0),
    toRevision: revisionSchema,
    actions: z.array(hostActionSchema).readonly(),
  })
  .readonly()
  .refine((value) => value.toRevision === value.fromRevision + 1, {
    path: ["toRevision"],
    error: "expected exactly one revision more",
  })
  .refine((value) => value.actions.every((action) => belongs(action, value)), {
    path: ["actions"],
    error: "expected actions of this revision and scope",
  });

/** One step of a stream: exactly one revision, and the actions that follow from it (spec 3). */
export type Transition = z.output<typeof transitionSchema>;

function belongs(action: HostAction, transition: { readonly toRevision: number; readonly scope: object }): boolean {
  return (
    action.preconditionRevision === transition.toRevision &&
    wireText(action.scope, "utf8") === wireText(transition.scope, "utf8")
  );
}

/** The canonical text (flavour B) of a transition. */
export function transitionText(transition: Transition): string {
  return wireText(transition, "utf8");
}

/**
 * Parses the text of a journal record.
 *
 * @throws InstallEngineError NOT_CANONICAL, INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseTransition(text: string): Transition {
  return checkCanonicalText(transitionSchema, text, "utf8", "transition");
}
