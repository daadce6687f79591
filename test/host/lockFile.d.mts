export function withLockFile<T>(
  path: string,
  work: () => Promise<T>,
  say?: (message: string) => void,
): Promise<T>;
