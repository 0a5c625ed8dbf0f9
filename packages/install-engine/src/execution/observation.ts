import { z } from "zod";
import type { InstallDriverObservation } from "../driver.ts";
import { digestSchema, tokenSchema } from "../types/identifiers.ts";

const common = {
  verificationDigest: digestSchema,
  reason: z
    .strictObject({
      code: tokenSchema,
      facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    })
    .optional(),
};

const observationSchema = z.discriminatedUnion("state", [
  z.strictObject({ ...common, state: z.literal("installed-exact"), observedMaterialIdentityDigest: digestSchema }),
  z.strictObject({ ...common, state: z.enum(["absent", "conflict", "indeterminate"]) }),
]);

/** What a driver answered, if it is an observation at all; null otherwise (spec 7.3). */
export function checkObservation(value: unknown): InstallDriverObservation | null {
  const result = observationSchema.safeParse(value);
  if (!result.success) {
    return null;
  }
  const { reason, ...rest } = result.data;
  return Object.freeze(reason === undefined ? rest : { ...rest, reason });
}
