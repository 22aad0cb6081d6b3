import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, launch } from 'puppeteer-core';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** One plot as a browser painted it. */
export interface PaintedPlot {
  readonly title: string;
  readonly box: Box;
  readonly texts: readonly { text: string; box: Box; size: number; contrast: number }[];
  readonly marks: readonly {
    /** As the drawing says, such as a variable of the style. */
    paint: string;
    isFilled: boolean;
    isArea: boolean;
    /** As it was painted. */
    colour: string;
    contrast: number;
    /** In the drawing's own pixels. */
    box: { x: number; y: number; width: number; height: number };
    at: Box;
  }[];
}

/** A page as a browser painted it. */
export interface PaintedPage {
  readonly plots: readonly PaintedPlot[];
  readonly texts: readonly { text: string; contrast: number; size: number; isOutside: boolean }[];
  readonly ground: string;
  readonly width: number;
  readonly keys: readonly number[];
  readonly headings: readonly number[];
  readonly labels: readonly string[];
  readonly isOwned: boolean;
  readonly scripts: number;
  /** Console messages and network requests. */
  readonly messages: readonly string[];
  readonly requests: readonly string[];
}

export interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

const INSPECT = readFileSync(resolve(import.meta.dirname, 'inspect-page.js'), 'utf8');

/** Debian's Chromium, without a window. */
export function openBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return launch({ executablePath: findChromium(), headless: true, args: isRoot ? ['--no-sandbox'] : [] });
}

/** Opens a file on a screen of that size, and returns what was painted. */
export async function paint(browser: Browser, path: string, { width, scheme }: Look): Promise<PaintedPage> {
  const page = await browser.newPage();
  const messages: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  try {
    await page.setViewport({ width, height: 900, isMobile: width < 600 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(pathToFileURL(path).href);
    const painted = (await page.evaluate(INSPECT)) as Omit<PaintedPage, 'messages' | 'requests'>;
    return { ...painted, messages, requests };
  } finally {
    await page.close();
  }
}

function findChromium(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'chromium');
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  throw new Error('No chromium on the PATH. Install it: apt-get install chromium');
}
