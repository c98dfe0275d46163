/** Adds members, which a class only declares, from a module that is built on the class, so that the class does not import that module. */
export function addMembers(target: object, members: object): void {
  const descriptors = Object.getOwnPropertyDescriptors(members) as Record<PropertyKey, PropertyDescriptor>;
  for (const key of Reflect.ownKeys(descriptors))
    Object.defineProperty(target, key, { ...descriptors[key as string], enumerable: false });
}
