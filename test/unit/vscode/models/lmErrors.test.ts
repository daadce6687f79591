import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { ModelErrorCode } from "../../../../src/core/model.ts";
import { ModelError } from "../../../../src/core/model.ts";
import { toModelError } from "../../../../src/vscode/models/lmErrors.ts";

function thrown(message: string, fields: { name?: string; code?: string; cause?: unknown } = {}): Error {
  return Object.assign(new Error(message), fields);
}

/** Shapes as VS Code and providers of it throw them. */
const shapes: readonly (readonly [what: string, error: unknown, code: ModelErrorCode])[] = [
  ["consent refused", thrown("no", { name: "LanguageModelError", code: "NoPermissions" }), "permission"],
  ["blocked", thrown("no", { code: "Blocked" }), "blocked"],
  ["model gone", thrown("no", { code: "NotFound" }), "not_found"],
  ["code on the cause only", thrown("x", { cause: thrown("y", { code: "NotFound" }) }), "not_found"],
  ["a cancelled task", thrown("Canceled", { name: "Canceled" }), "cancelled"],
  ["Copilot's rate limit", thrown("Sorry", { name: "ChatRateLimited" }), "rate"],
  ["Copilot's quota", thrown("Sorry", { name: "ChatQuotaExceeded" }), "quota"],
  ["Copilot's overflow", thrown("Message exceeds token limit."), "overflow"],
  ["OpenAI's overflow", thrown("This model's maximum context length is 8192 tokens."), "overflow"],
  ["Anthropic's overflow", thrown("prompt is too long: 210000 tokens > 200000 maximum"), "overflow"],
  ["401", thrown("401 Unauthorized: the API key is not valid."), "authentication"],
  ["403", thrown("403 Forbidden"), "permission"],
  ["429", thrown("429 Too Many Requests"), "rate"],
  ["quota in words", thrown("You exceeded your current quota, check your billing details"), "quota"],
  ["400", thrown("400 Bad Request"), "bad_request"],
  ["404", thrown("404: no such model"), "not_found"],
  ["filter", thrown("The response was filtered by Responsible AI"), "content_filter"],
  ["broken connection", thrown("read ECONNRESET"), "network"],
  [
    "connection code on the cause",
    thrown("fetch failed", { cause: thrown("", { code: "ECONNREFUSED" }) }),
    "network",
  ],
  ["503", thrown("503 Service Unavailable"), "network"],
  ["time-out", thrown("The request timed out"), "timeout"],
  ["words that nobody knows", thrown("Oops"), "unknown"],
  ["an Event of a broken image", { type: "error" }, "unknown"],
  ["a text", "rate limit reached", "rate"],
  ["nothing", undefined, "unknown"],
  ["a name of Object's own", thrown("x", { name: "toString" }), "unknown"],
];

describe("toModelError", () => {
  for (const [what, error, code] of shapes) {
    it(`tells ${what} as ${code}`, () => {
      const told = toModelError(error);
      assert.equal(told.code, code);
      assert.equal(told.cause, error);
    });
  }

  it("keeps the provider's own words", () => {
    assert.equal(toModelError(thrown("Oops, disk on fire")).message, "Oops, disk on fire");
  });

  it("reads how long to wait", () => {
    assert.equal(toModelError(thrown("429: try again in 20 seconds.")).retryAfterMs, 20_000);
    assert.equal(toModelError(thrown("429")).retryAfterMs, undefined);
  });

  it("lets our own errors through", () => {
    const own = new ModelError("overflow", "x");
    assert.equal(toModelError(own), own);
  });
});
