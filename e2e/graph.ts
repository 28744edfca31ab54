import { expect, type Locator, type Page } from '@playwright/test';

export function nodeOf(page: Page, taskId: string): Locator {
  return page.locator(`[data-task-id="${taskId}"]`).first();
}

export async function expectState(page: Page, taskId: string, state: string): Promise<void> {
  await expect(nodeOf(page, taskId)).toHaveAttribute('data-state', state, { timeout: 30_000 });
}

export type GraphFilm = {
  /** Every place that a node had at some frame, as `x,y` in graph coordinates. */
  readonly places: Readonly<Record<string, readonly string[]>>;
  /** State words of a node, in the order of their first showing. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  readonly frames: number;
};

/** Looks at every node at every animation frame from now on. @returns stops and gives what was seen */
export async function filmGraph(page: Page): Promise<() => Promise<GraphFilm>> {
  await page.evaluate(() => {
    const places: Record<string, string[]> = {};
    const states: Record<string, string[]> = {};
    const film = { places, states, frames: 0 };
    const note = (into: Record<string, string[]>, key: string, value: string) => {
      const seen = into[key] ?? [];
      if (!seen.includes(value)) seen.push(value);
      into[key] = seen;
    };
    const look = () => {
      film.frames += 1;
      for (const node of document.querySelectorAll<HTMLElement>('.react-flow__node')) {
        const star = node.matches('[data-task-id]') ? node : node.querySelector<HTMLElement>('[data-task-id]');
        const taskId = star?.dataset.taskId;
        if (star === null || taskId === undefined) continue;
        note(places, taskId, node.style.transform);
        note(states, taskId, star.dataset.state ?? '');
      }
      requestAnimationFrame(look);
    };
    Object.assign(window, { graphFilm: film });
    requestAnimationFrame(look);
  });
  return () => page.evaluate(() => (window as unknown as { graphFilm: GraphFilm }).graphFilm);
}
