/**
 * High and low water of one day from gauge readings.
 * @param {{ minute: number, centimetres: number }[]} readings in order of time
 * @returns {{ minute: number, centimetres: number, kind: "high" | "low" }[]}
 */
export function turningPoints(readings) {
  const points = [];
  for (let index = 1; index < readings.length - 1; index++) {
    const [before, here, after] = readings.slice(index - 1, index + 2);
    if (here.centimetres > before.centimetres && here.centimetres >= after.centimetres) {
      points.push({ ...here, kind: "high" });
    } else if (here.centimetres < before.centimetres && here.centimetres <= after.centimetres) {
      points.push({ ...here, kind: "low" });
    }
  }
  return points;
}
