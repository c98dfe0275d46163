/** A module whose class is not a memory manager. */

export default class Broken {}
