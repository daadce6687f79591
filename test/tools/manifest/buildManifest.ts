import type { CommandName, SettingName, SettingRule } from "../../../src/vscode/contributions.ts";
import {
  commands,
  contextKeys,
  DOCUMENT_LANGUAGE,
  MODEL_VENDOR,
  participant,
  restrictedSettings,
  settingKey,
  settingRules,
  views,
  walkthrough,
} from "../../../src/vscode/contributions.ts";
import { canCompact, commandEntries } from "./commandEntries.ts";
import type { MenuEntry } from "./menuEntries.ts";
import {
  editorContextMenu,
  editorTitleMenu,
  explorerMenu,
  viewItemMenu,
  viewTitleMenu,
} from "./menuEntries.ts";
import { settingEntries } from "./settingEntries.ts";

const CATEGORY = "Context Capsule";

export interface Manifest {
  readonly contributes: unknown;
  readonly capabilities: unknown;
  /** Content of package.nls.json: key → English text. */
  readonly nls: Readonly<Record<string, string>>;
}

/** The parts of package.json that the code has a say in, and the texts they point to. */
export function buildManifest(): Manifest {
  const nls: Record<string, string> = {};
  const text = (key: string, english: string): string => {
    if (nls[key] !== undefined && nls[key] !== english) throw new Error(`Two texts for ${key}`);
    nls[key] = english;
    return `%${key}%`;
  };
  const menu = (entries: readonly MenuEntry[]) =>
    entries.map(({ command, when, group }) => ({ command: commands[command], when, group }));

  const contributes = {
    commands: Object.entries(commandEntries).map(([name, { title, icon }]) => ({
      command: commands[name as CommandName],
      title: text(`command.${name}`, title),
      category: CATEGORY,
      ...(icon === undefined ? {} : { icon }),
    })),
    menus: {
      commandPalette: Object.entries(commandEntries)
        .filter(([, { palette }]) => palette !== undefined)
        .map(([name, { palette }]) => ({ command: commands[name as CommandName], when: palette })),
      "view/title": menu(viewTitleMenu),
      "view/item/context": menu(viewItemMenu),
      "explorer/context": menu(explorerMenu),
      "editor/title": menu(editorTitleMenu),
      "editor/context": menu(editorContextMenu),
    },
    keybindings: [
      {
        command: commands.renameSession,
        key: "f2",
        when: `focusedView == ${views.sessions} && listFocus && !inputFocus`,
      },
      {
        command: commands.deleteSession,
        key: "delete",
        mac: "cmd+backspace",
        when: `focusedView == ${views.sessions} && listFocus && !inputFocus`,
      },
    ],
    configuration: {
      title: CATEGORY,
      properties: Object.fromEntries(
        Object.entries(settingEntries).map(([name, { description, values }], order) => [
          settingKey(name as SettingName),
          {
            ...schemaOf(settingRules[name as SettingName]),
            ...(values === undefined
              ? {}
              : {
                  markdownEnumDescriptions: Object.entries(values).map(([value, words]) =>
                    text(`setting.${name}.${value}`, words),
                  ),
                }),
            markdownDescription: text(`setting.${name}`, description),
            scope: "window",
            order,
          },
        ]),
      ),
    },
    viewsContainers: {
      activitybar: [{ id: views.container, title: CATEGORY, icon: "media/activity-bar.svg" }],
    },
    views: {
      [views.container]: [
        {
          id: views.sessions,
          name: text("view.sessions", "Sessions"),
          icon: "media/activity-bar.svg",
          contextualTitle: CATEGORY,
        },
        {
          id: views.capsules,
          name: text("view.capsules", "Capsules"),
          icon: "media/activity-bar.svg",
          contextualTitle: CATEGORY,
        },
      ],
    },
    viewsWelcome: [
      {
        view: views.sessions,
        when: contextKeys.noSessions,
        contents: text(
          "welcome.sessions",
          `No sessions in this workspace yet. Import one from another agent (Claude Code, pi, or OpenAI-style messages), or start one.\n[Import Session…](command:${commands.importSession})\n[New Session…](command:${commands.newSession})\nA chat with @capsule makes a session by itself. Sessions of a renamed folder can be [found again](command:${commands.findSessions}).`,
        ),
      },
      {
        view: views.capsules,
        when: `!${contextKeys.sessionOpen}`,
        contents: text(
          "welcome.capsules.none",
          `No session is active.\n[Switch Session…](command:${commands.switchSession})`,
        ),
      },
      {
        view: views.capsules,
        when: canCompact,
        contents: text(
          "welcome.capsules.empty",
          `This session has not been compacted yet.\n[Compact Now](command:${commands.compactNow})\n[Preview Compaction](command:${commands.preview})`,
        ),
      },
      {
        view: views.capsules,
        when: `${contextKeys.sessionOpen} && ${contextKeys.readOnly}`,
        contents: text(
          "welcome.capsules.readOnly",
          `This session has not been compacted yet, and another window is writing it.\n[Take Over Session](command:${commands.takeOverSession})\n[Preview Compaction](command:${commands.preview})`,
        ),
      },
    ],
    languages: [
      {
        id: DOCUMENT_LANGUAGE,
        aliases: [text("language.record", "Session Record")],
        filenamePatterns: ["**/context-capsule-documents/*/record/**"],
        configuration: "./media/syntaxes/record.language-configuration.json",
      },
    ],
    // Numbers of messages such as #108 are no colours, and long lines are to be read.
    configurationDefaults: {
      [`[${DOCUMENT_LANGUAGE}]`]: {
        "editor.colorDecorators": false,
        "editor.defaultColorDecorators": "never",
        "editor.guides.indentation": false,
        "editor.minimap.enabled": false,
        "editor.occurrencesHighlight": "off",
        "editor.wordWrap": "on",
        "editor.wrappingIndent": "same",
      },
    },
    grammars: [
      {
        language: DOCUMENT_LANGUAGE,
        scopeName: "text.context-capsule-record",
        path: "./media/syntaxes/record.tmLanguage.json",
      },
    ],
    chatParticipants: [
      {
        id: participant.id,
        name: participant.name,
        fullName: CATEGORY,
        description: text(
          "participant.description",
          "Chat in a session whose context is compacted without losing a commitment",
        ),
        isSticky: true,
        commands: participant.commands.map((name) => ({
          name,
          description: text(`participant.${name}`, participantCommandTexts[name]),
        })),
      },
    ],
    languageModelChatProviders: [{ vendor: MODEL_VENDOR, displayName: CATEGORY }],
    walkthroughs: [
      {
        id: walkthrough.id,
        title: text("walkthrough.title", "Get Started with Context Capsule"),
        description: text(
          "walkthrough.description",
          "See how full a chat is, compact it, and take it back if you do not like it.",
        ),
        steps: walkthrough.steps.map((id) => ({
          id,
          title: text(`walkthrough.${id}.title`, walkthroughTexts[id].title),
          description: text(`walkthrough.${id}.description`, walkthroughTexts[id].description),
          media: {
            svg: `media/walkthrough/${id}.svg`,
            altText: text(`walkthrough.${id}.picture`, walkthroughTexts[id].picture),
          },
          completionEvents: walkthroughTexts[id].completion,
        })),
      },
    ],
  };
  const capabilities = {
    untrustedWorkspaces: {
      supported: "limited",
      description: text(
        "capability.untrusted",
        "In Restricted Mode the workspace cannot choose the summarizer model or turn automatic compaction on.",
      ),
      restrictedConfigurations: restrictedSettings.map(settingKey),
    },
    virtualWorkspaces: true,
  };
  return { contributes, capabilities, nls };
}

function schemaOf(rule: SettingRule): Record<string, unknown> {
  switch (rule.type) {
    case "integer":
      return {
        type: rule.nullable ? ["integer", "null"] : "integer",
        default: rule.default,
        minimum: rule.minimum,
        maximum: rule.maximum,
      };
    case "choice":
      return { type: "string", default: rule.default, enum: rule.values };
    case "boolean":
      return { type: "boolean", default: rule.default };
    case "text":
      return { type: "string", default: rule.default };
  }
}

const participantCommandTexts: Readonly<Record<(typeof participant.commands)[number], string>> = {
  compact: "Compact this chat's context now; words after it say what to keep in focus",
  context: "Show how full the context is and what it is made of",
  undo: "Take back the last compaction",
  new: "Start a new session in this chat",
};

interface WalkthroughText {
  readonly title: string;
  readonly description: string;
  readonly picture: string;
  readonly completion: readonly string[];
}

const walkthroughTexts: Readonly<Record<(typeof walkthrough.steps)[number], WalkthroughText>> = {
  session: {
    title: "Open a session",
    description: `Import a transcript from another agent, or talk to @capsule in the Chat view: that makes a session by itself.\n[Import Session…](command:${commands.importSession})\n[New Session…](command:${commands.newSession})`,
    picture: "The Sessions view with one active session, its age, size and how full it is.",
    completion: [
      `onCommand:${commands.importSession}`,
      `onCommand:${commands.newSession}`,
      `onContext:${contextKeys.sessionOpen}`,
    ],
  },
  meter: {
    title: "See how full it is",
    description: `The meter at the right of the status bar shows percent and tokens; ~ marks an estimate, ? what is unknown. It turns to the warning colour at the trigger line. Hover over it to see where the number comes from, click it for actions.\n[Show Context Actions](command:${commands.showMeterActions})`,
    picture: "A status bar meter at 63 percent, with the trigger line marked on a scale above it.",
    completion: [`onCommand:${commands.showMeterActions}`],
  },
  compact: {
    title: "Compact, and take it back",
    description: `Preview what would stay, leave and be summarized; then compact. Large tool results leave first and can be opened again byte for byte; your words stay quoted in the capsule, rules among them as commitments. Undo takes a compaction back whole.\n[Preview Compaction](command:${commands.preview})\n[Compact Now](command:${commands.compactNow})`,
    picture:
      "A long list of messages on the left becomes a capsule and a short list on the right, with an arrow back.",
    completion: [`onCommand:${commands.compactNow}`, `onCommand:${commands.preview}`],
  },
};
