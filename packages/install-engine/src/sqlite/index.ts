export { type OpenJournalOptions, openJournal } from "./open-journal.ts";
export { APPLICATION_ID, FORMAT, FORMAT_VERSION } from "./schema.ts";
