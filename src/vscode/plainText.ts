import { visible } from "./documents/visibleText.ts";

/**
 * Text as a notification may show it. VS Code makes links of `[words](address)` there, and a `command:` address runs at
 * a click: a title, a file name or a provider's sentence comes from elsewhere and has to stay text.
 */
export function plainNotice(text: string): string {
  return visible(text).replaceAll("](", "] (");
}

/** Text as a row of a quick pick or the status bar may show it: VS Code draws an icon for each `$(name)` there. */
export function plainLabel(text: string): string {
  return visible(text).replaceAll("$(", "\\$(");
}
