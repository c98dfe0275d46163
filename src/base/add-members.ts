/** Adds members that a class only declares. The module that implements them imports the class, so the class need not import it. */
export function addMembers(target: object, members: object): void {
  const descriptors = Object.getOwnPropertyDescriptors(members) as Record<PropertyKey, PropertyDescriptor>;
  for (const key of Reflect.ownKeys(descriptors))
    Object.defineProperty(target, key, { ...descriptors[key as string], enumerable: false });
}
