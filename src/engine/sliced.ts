/** Work for this long at a stretch, then let the host breathe. */
const SLICE_MS = 4;
const ITEMS_BETWEEN_LOOKS = 64;

/** Runs `work` over all items in slices that do not block the host; `pause` yields to the event loop. */
export async function inSlices<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => void,
  pause: () => Promise<void>,
): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (let index = 0; index < items.length; index += 1) {
    work(items[index] as Item, index);
    if (index % ITEMS_BETWEEN_LOOKS === 0 && performance.now() >= sliceEnd) {
      await pause();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
}
