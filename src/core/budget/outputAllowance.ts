export interface AllowanceQuestion {
  /** What a reply of so many tokens can cost at most, its request included; it never falls. */
  readonly costOf: (outputTokens: number) => number;
  readonly remaining: number;
  readonly floorTokens: number;
  readonly capTokens: number;
}

/**
 * Rung 3, the output clamp: the largest reply allowance in tokens that the remainder can pay, between the floor and
 * the cap. Undefined: not even the floor can be paid. A cap below the floor is the floor.
 */
export function outputAllowance(question: AllowanceQuestion): number | undefined {
  const { costOf, remaining, capTokens } = question;
  const floor = Math.min(question.floorTokens, capTokens);
  if (costOf(capTokens) <= remaining) return capTokens;
  if (!(costOf(floor) <= remaining)) return undefined;
  let affordable = floor;
  let tooMuch = capTokens;
  while (tooMuch - affordable > 1) {
    const middle = affordable + Math.floor((tooMuch - affordable) / 2);
    if (costOf(middle) <= remaining) affordable = middle;
    else tooMuch = middle;
  }
  return affordable;
}
