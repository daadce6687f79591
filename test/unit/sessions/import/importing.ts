import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Part } from "../../../../src/core/messages.ts";
import type { ImportedRecord, ImportedSession } from "../../../../src/sessions/import/importedSession.ts";
import { importSession } from "../../../../src/sessions/import/importSession.ts";

const FIXTURES = new URL("../../../fixtures/import/", import.meta.url);

export async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export function importBytes(bytes: Uint8Array, size = 1 << 18) {
  return importSession({ fileName: "session", chunks: chunked(bytes, size) });
}

export async function imported(bytes: Uint8Array, size?: number): Promise<ImportedSession> {
  const result = await importBytes(bytes, size);
  assert.ok(result.ok, result.ok ? "" : `${result.code}: ${result.reason}`);
  return result.imported;
}

export function jsonl(...values: readonly unknown[]): Uint8Array {
  return Buffer.from(
    values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n"),
  );
}

export function importLines(...values: readonly unknown[]): Promise<ImportedSession> {
  return imported(jsonl(...values));
}

export function fixtureBytes(name: string): Uint8Array {
  return readFileSync(new URL(name, FIXTURES));
}

export function importFixture(name: string): Promise<ImportedSession> {
  return imported(fixtureBytes(name));
}

/** One line a message, to compare whole sessions at a glance: role, kind, command, id, parts. */
export function outline(records: readonly ImportedRecord[]): string[] {
  return records.map(line);
}

function line(record: ImportedRecord): string {
  switch (record.type) {
    case "boundary":
      return `--- boundary, line ${record.line}`;
    case "metadata":
      return `(metadata) ${record.recordType}`;
    case "unknown":
      return `(unknown) ${record.reason}`;
    default: {
      const { role, kind, id, content } = record.message;
      const who = [role, kind, "command" in record ? record.command : undefined].filter(Boolean).join(" ");
      const where = record.type === "message" ? "" : `(${record.type}) `;
      return `${where}${who} ${id}: ${content.map(part).join(" | ")}`;
    }
  }
}

function part(one: Part): string {
  switch (one.type) {
    case "text":
      return one.text;
    case "reasoning":
      return `<${one.text}:${one.signature ?? ""}>`;
    case "image":
      return `<${one.mediaType}>`;
    case "tool-call":
      return `${one.toolName}#${one.toolCallId}(${JSON.stringify(one.input)})`;
    case "tool-result":
      return `${one.isError === true ? "ERROR " : ""}${one.toolName}#${one.toolCallId} => ${one.output}`;
  }
}

/** The records that are the context, by the rule of `ImportedSession.records`. */
export function contextOf({ records, contextStart }: ImportedSession): string[] {
  if (contextStart.messageId === undefined) return [];
  const messages = records.filter((record) => record.type === "message");
  const from = messages.findIndex(({ message }) => message.id === contextStart.messageId);
  assert.ok(from >= 0, "the context starts at a message of the transcript");
  return messages.slice(from).map(({ message }) => message.id);
}
