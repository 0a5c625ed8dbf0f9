import { z } from "zod";

/** How an event may be kept and shown (spec 3). */
export const privacySchema = z
  .strictObject({
    classification: z.enum(["public", "internal", "private", "confidential", "restricted"]),
    retention: z.enum(["ephemeral", "session", "workspace", "local", "persistent", "aggregate"]),
  })
  .readonly();

/** How an event may be kept and shown. The journal refuses `ephemeral` and `aggregate`. */
export type PrivacyLabel = z.output<typeof privacySchema>;

/** Private, kept on this machine. */
export const PRIVACY_DEFAULT: PrivacyLabel = Object.freeze({ classification: "private", retention: "local" });

/** Whether a journal may keep what carries this label. */
export function isJournalable(privacy: PrivacyLabel): boolean {
  return privacy.retention !== "ephemeral" && privacy.retention !== "aggregate";
}
