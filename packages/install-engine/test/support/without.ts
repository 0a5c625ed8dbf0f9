/** An object without one of its members. */
export function without<Value extends object, Key extends keyof Value>(value: Value, key: Key): Omit<Value, Key> {
  const rest = { ...value };
  Reflect.deleteProperty(rest, key);
  return rest;
}
