/** The parts of `vscode.lm` that surface code makes and tells apart. */
export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class LanguageModelToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}

export class LanguageModelToolResultPart {
  readonly callId: string;
  readonly content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}

export class LanguageModelDataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
}

export const LanguageModelChatMessageRole = { User: 1, Assistant: 2 };

export class LanguageModelChatMessage {
  readonly role: number;
  readonly content: unknown[];
  constructor(role: number, content: unknown[]) {
    this.role = role;
    this.content = content;
  }
  static User(content: unknown[]): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.User, content);
  }
  static Assistant(content: unknown[]): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.Assistant, content);
  }
}
