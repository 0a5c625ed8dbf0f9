import { SIMULATED_ROOT_INODE, type SimulatedDisk } from "@mesh/testkit/simulated-disk";

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
  // An entry of a directory is known by the number of its directory, which must not tell two equal disks apart either.
  const canonicalKey = (key: string): string => {
    const [directory = "", name] = key.split("/");
    return name === undefined ? key : `${canonical(Number(directory))}/${name}`;
  };
  const byName = (names: ReadonlyMap<string, number>): string =>
    [...names]
      .sort(([left], [right]) => Number(left.includes("/")) - Number(right.includes("/")) || (left < right ? -1 : 1))
      .map(([key, inode]) => `${canonicalKey(key)}=${canonical(inode)}`)
      .join(",");
  const parts = [
    byName(disk.names),
    byName(disk.durableNames),
    disk.pending
      .map((operation) => {
        const key = canonicalKey(operation.key);
        switch (operation.kind) {
          case "add":
            return `+${key}=${canonical(operation.inode)}`;
          case "remove":
            return `-${key}`;
          case "move":
            return `-${key}+${canonicalKey(operation.to)}=${canonical(operation.inode)}`;
        }
      })
      .join(","),
    [...disk.forgottenDirectories]
      .map((directory) => (directory === Number(SIMULATED_ROOT_INODE) ? "root" : canonical(directory)))
      .sort()
      .join(","),
  ];
  for (const [inode] of numbers) {
    const { kind, owner, mode, durableMode, bytes, durableBytes, data } = disk.inode(inode);
    const text = [kind, owner, mode, durableMode, Buffer.from(bytes).toString("latin1"), data];
    parts.push(`${text.join("|")}|${Buffer.from(durableBytes).toString("latin1")}`);
  }
  return parts.join("\n");
}
