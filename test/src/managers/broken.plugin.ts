/** A module whose class is no memory manager. */

export default class Broken {}
