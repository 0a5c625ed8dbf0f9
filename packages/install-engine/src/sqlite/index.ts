export { FORMAT } from "./layout.ts";
export { type OpenJournalOptions, openJournal } from "./open-journal.ts";
export { APPLICATION_ID, FORMAT_VERSION } from "./schema.ts";
