import type { SimulatedDisk } from "@mesh/testkit/simulated-disk";

/** A text that two disks share exactly when no future can tell them apart: inode numbers and clocks are left out. */
export function fingerprint(disk: SimulatedDisk): string {
  const numbers = new Map<number, number>();
  const canonical = (inode: number): number => {
    const known = numbers.get(inode);
    if (known !== undefined) {
      return known;
    }
    numbers.set(inode, numbers.size);
    return numbers.size - 1;
  };
  const byName = (names: ReadonlyMap<string, number>): string =>
    [...names]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inode]) => `${name}=${canonical(inode)}`)
      .join(",");
  const parts = [
    byName(disk.names),
    byName(disk.durableNames),
    disk.pending
      .map((operation) =>
        operation.kind === "add" ? `+${operation.name}=${canonical(operation.inode)}` : `-${operation.name}`,
      )
      .join(","),
    String(disk.directoryForgotten),
  ];
  for (const [inode] of numbers) {
    const { kind, owner, mode, durableMode, bytes, durableBytes, data } = disk.inode(inode);
    const text = [kind, owner, mode, durableMode, Buffer.from(bytes).toString("latin1"), data];
    parts.push(`${text.join("|")}|${Buffer.from(durableBytes).toString("latin1")}`);
  }
  return parts.join("\n");
}
