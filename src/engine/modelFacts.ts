/** What is known of the model that rules the meter; a reload knows it before the model itself is found again. */
export interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly maxInputTokens: number | undefined;
}
