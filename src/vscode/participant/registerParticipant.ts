import * as vscode from "vscode";
import { participant } from "../contributions.ts";
import { errorSentence } from "../words.ts";
import type { CapsuleChat } from "./capsuleChat.ts";
import type { ChatParts } from "./chatParts.ts";
import { followups } from "./followups.ts";

/** Registers `@capsule`; what answers is read from disk with the first message. */
export function registerParticipant(parts: ChatParts, iconPath: vscode.IconPath): vscode.Disposable {
  let chat: CapsuleChat | undefined;
  const registered = vscode.chat.createChatParticipant(
    participant.id,
    async (request, context, stream, token) => {
      try {
        if (chat === undefined) {
          const { CapsuleChat } = await import("./capsuleChat.ts");
          chat = new CapsuleChat(parts);
        }
        return await chat.handle(request, context, stream, token);
      } catch (error) {
        parts.onError(error);
        stream.markdown(errorSentence(error) ?? "");
        return {};
      }
    },
  );
  registered.iconPath = iconPath;
  registered.followupProvider = { provideFollowups: followups };
  return registered;
}
