/** The same fields, writable: for the one owner of an object that others only read. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
