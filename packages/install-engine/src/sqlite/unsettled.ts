import type { ActionKey } from "../journal.ts";
import type { Connection, Statement } from "./connection.ts";

const KEY = `SELECT stream_key AS "streamKey", action_id AS "actionId"`;

/** The claims that are neither settled nor abandoned: a projection, so that recovery reads what is open and no more. */
export class UnsettledTable {
  readonly #page: Statement<[string, string, number], ActionKey>;
  readonly #insert: Statement<[string, string], never>;
  readonly #remove: Statement<[string, string], never>;
  readonly #has: Statement<[string, string], ActionKey>;
  readonly #claimKeys: Statement<[string, string, number], ActionKey>;

  constructor(connection: Connection) {
    this.#page = connection.prepare(
      `${KEY} FROM unsettled WHERE (stream_key, action_id) > (?, ?) ORDER BY stream_key, action_id LIMIT ?`,
    );
    this.#insert = connection.prepare("INSERT INTO unsettled (stream_key, action_id) VALUES (?, ?)");
    this.#remove = connection.prepare("DELETE FROM unsettled WHERE stream_key = ? AND action_id = ?");
    this.#has = connection.prepare(`${KEY} FROM unsettled WHERE stream_key = ? AND action_id = ?`);
    this.#claimKeys = connection.prepare(
      `${KEY} FROM claims WHERE (stream_key, action_id) > (?, ?) ORDER BY stream_key, action_id LIMIT ?`,
    );
  }

  page(after: ActionKey | undefined, limit: number): ActionKey[] {
    return this.#page.all(after?.streamKey ?? "", after?.actionId ?? "", limit);
  }

  add({ streamKey, actionId }: ActionKey): void {
    this.#insert.run(streamKey, actionId);
  }

  remove({ streamKey, actionId }: ActionKey): void {
    this.#remove.run(streamKey, actionId);
  }

  has({ streamKey, actionId }: ActionKey): boolean {
    return this.#has.get(streamKey, actionId) !== undefined;
  }

  /** The keys of all claims, unsettled or not: what this table is verified against. */
  claimKeys(after: ActionKey | undefined, limit: number): ActionKey[] {
    return this.#claimKeys.all(after?.streamKey ?? "", after?.actionId ?? "", limit);
  }
}
