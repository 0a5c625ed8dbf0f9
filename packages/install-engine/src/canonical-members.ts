import { codePointOrder, isWellFormedText } from "./unicode.ts";

/** One member of an object, in the order of the canonical text. */
export interface OrderedMember {
  readonly key: string;
  /** What the text calls it. */
  readonly name: string;
  /** The encoded name and the colon after it; undefined for a name that has no encoding. */
  readonly label: string | undefined;
}

interface Order {
  readonly keys: readonly string[];
  readonly members: readonly OrderedMember[];
}

/** Lists of keys that are remembered: far more than the types have, while those of a driver's facts are its own. */
const ORDERS_MAX = 500;
/** Longest list that is remembered, in UTF-16 units of its keys. */
const ORDER_CHARACTERS_MAX = 1_000;

/**
 * In which order the members of an object stand in its canonical text, and under which names.
 *
 * The same few dozen lists of keys come again and again, so each is renamed, sorted and quoted once.
 */
export class MemberOrders {
  readonly #nameOf: (key: string) => string;
  readonly #quote: (name: string) => string;
  readonly #known = new Map<string, Order>();

  constructor(nameOf: (key: string) => string, quote: (name: string) => string) {
    this.#nameOf = nameOf;
    this.#quote = quote;
  }

  /** The members of an object with these keys. */
  of(keys: readonly string[]): readonly OrderedMember[] {
    const list = keys.join();
    const known = this.#known.get(list);
    // Two lists of keys can be one text, since a key may hold the separator: attackers choose some of the keys.
    if (known !== undefined && sameKeys(known.keys, keys)) {
      return known.members;
    }
    const members = this.#order(keys);
    if (known === undefined && this.#known.size < ORDERS_MAX && list.length <= ORDER_CHARACTERS_MAX) {
      this.#known.set(list, { keys, members });
    }
    return members;
  }

  #order(keys: readonly string[]): readonly OrderedMember[] {
    const named = keys.map((key) => ({ key, name: this.#nameOf(key) }));
    const compare = codePointOrder(named.map(({ name }) => name));
    return named
      .sort((left, right) => compare(left.name, right.name))
      .map((member) => ({
        ...member,
        label: isWellFormedText(member.name) ? `${this.#quote(member.name)}:` : undefined,
      }));
  }
}

function sameKeys(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
