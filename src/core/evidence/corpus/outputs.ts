/** Tool outputs of some length, the same each time: what fills most of a real session. */

const repeated = (count: number, line: (number: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join("\n");

export const testLog = (suite: string, count: number, failed = 0): string =>
  `${repeated(count, (n) => `ok ${n} - ${suite}: case ${n} finished in ${((n * 37) % 91) + 4} ms`)}\n${count - failed} passed, ${failed} failed`;

export const sourceFile = (name: string, functions: number): string =>
  repeated(
    functions,
    (n) =>
      `export function ${name}${n}(input: string): string {\n  const step = ${(n * 13) % 29};\n  return input.slice(step).padEnd(${n + 8}, ".");\n}\n`,
  );

export const listing = (folder: string, count: number): string =>
  repeated(
    count,
    (n) =>
      `-rw-r--r-- 1 dev dev ${String((n * 7919) % 90_000).padStart(6)} ${folder}/part-${String(n).padStart(3, "0")}.dat`,
  );

export const serverLog = (service: string, count: number): string =>
  repeated(
    count,
    (n) =>
      `${service}[${1000 + ((n * 31) % 700)}] GET /v1/items/${(n * 101) % 997} 200 ${((n * 17) % 240) + 3}ms bytes=${(n * 337) % 9000}`,
  );

export const table = (name: string, count: number): string =>
  `${name}_id,region,amount,checked\n${repeated(count, (n) => `${n},zone-${(n * 5) % 12},${((n * 7717) % 100_000) / 100},${n % 3 === 0}`)}`;
