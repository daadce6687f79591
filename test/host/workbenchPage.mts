/** Chromium showing the workbench of a running server. */
import { format } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { onEnd } from "./endings.mts";

export interface WorkbenchOptions {
  readonly port: number;
  readonly browserPath: string;
  /** At most one: of several the server would silently take the last. Needs a server with the driver switched on. */
  readonly extensionDevelopmentPath?: string;
  readonly extensionTestsPath?: string;
  readonly folder?: string;
  /** A `.code-workspace` file. */
  readonly workspace?: string;
  readonly headless?: boolean;
  /** Lines of the extension host's console (arrive only with `extensionTestsPath`) and of the page. */
  readonly onLog?: (line: string, from: "host" | "page") => void;
  /** The tests inside the host ended with this code. */
  readonly onTestsEnd?: (code: number) => void;
  readonly viewport?: { width: number; height: number };
}

export interface WorkbenchPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Resolves when the browser or the page is gone for a reason that is not `close`. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
}

const BROWSER_SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];
const VIEWPORT = { width: 1440, height: 900 };
const KEY_BYTES = 32;

/** The address that opens the workbench; where there are development paths, `payload` carries them. */
export function workbenchAddress(options: Omit<WorkbenchOptions, "browserPath">): string {
  const authority = `127.0.0.1:${options.port}`;
  const payload = (["extensionDevelopmentPath", "extensionTestsPath"] as const).flatMap((key) => {
    const path = options[key];
    return path === undefined ? [] : [[key, `vscode-remote://${authority}${encodeURI(path)}`]];
  });
  const query = [
    options.workspace === undefined ? undefined : `workspace=${encodedPath(options.workspace)}`,
    options.folder === undefined ? undefined : `folder=${encodedPath(options.folder)}`,
    options.workspace === undefined && options.folder === undefined ? "ew=true" : undefined,
    payload.length === 0
      ? undefined
      : `payload=${encodeURIComponent(JSON.stringify([...payload, ["skipWelcome", "true"]]))}`,
  ];
  return `http://${authority}/?${query.filter((part) => part !== undefined).join("&")}`;
}

/** Slashes stay, so that a person can read the address. */
function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

export async function openWorkbench(options: WorkbenchOptions): Promise<WorkbenchPage> {
  const browser = await chromium.launch({
    executablePath: options.browserPath,
    headless: options.headless ?? true,
    args: BROWSER_SWITCHES,
    // Ours: `onEnd` closes it, after the server was told.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  let closing = false;
  const close = async (): Promise<void> => {
    closing = true;
    forget();
    await browser.close();
  };
  const forget = onEnd(close);
  try {
    const context = await browser.newContext({
      viewport: options.viewport ?? VIEWPORT,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    // A desktop keeps secrets in the system's key ring; here the page asks its server for a key, which the bare server lacks.
    await context.route("**/mint-key", (route) => route.fulfill({ body: Buffer.alloc(KEY_BYTES, 7) }));
    const page = await context.newPage();
    const lost = new Promise<string>((resolve) => {
      const tell = (what: string) => (): void => {
        if (!closing) resolve(what);
      };
      browser.on("disconnected", tell("The browser ended."));
      page.on("crash", tell("The page crashed."));
      page.on("close", tell("The page was closed."));
    });
    page.on("console", (message) => options.onLog?.(`${message.type()}: ${message.text()}`, "page"));
    page.on("pageerror", (error) => options.onLog?.(`error: ${error.message}`, "page"));
    await page.exposeFunction("codeAutomationLog", (_type: string, args: unknown[]) =>
      options.onLog?.(format(...args), "host"),
    );
    await page.exposeFunction("codeAutomationExit", (code: number) => options.onTestsEnd?.(code));
    await page.goto(workbenchAddress(options));
    return { page, context, lost, close };
  } catch (error) {
    await close();
    throw error;
  }
}
