import type { Rate } from '../counting/rate.ts';
import { savedShare } from '../sections/tools.ts';
import type { Sections } from '../sections.ts';
import {
  formatCompact,
  formatCount,
  formatInterval,
  formatMs,
  formatShare,
  formatSigned,
} from '../text/format.ts';
import { type Html, html } from './html.ts';

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly detail: string;
}

/** The numbers that are asked for first. What is not known has no tile. */
export function renderTiles(sections: Sections): Html {
  const tiles = [
    exchangesTile(sections),
    moneyTile(sections),
    savedTile(sections),
    rateTile('Would have missed a tool', sections.watching.missedExchanges, 'exchanges with a call'),
    rateTile('Searches failed', failedSearches(sections), 'searches'),
    addedTile(sections),
    sessionsTile(sections),
  ];
  const items = tiles
    .filter((tile) => tile !== undefined)
    .map(
      ({ label, value, detail }) =>
        html`<div class="card tile"><span class="label">${label}</span><span class="value">${value}</span><span class="detail">${detail}</span></div>`,
    );
  return html`<div class="tiles">${items}</div>`;
}

function exchangesTile({ traffic }: Sections): Tile {
  return {
    label: 'Exchanges',
    value: formatCount(traffic.exchanges),
    detail:
      traffic.looked === 0 ? 'none looked at' : `${formatShare(traffic.streams / traffic.looked)} streamed`,
  };
}

function savedTile({ tools }: Sections): Tile | undefined {
  const isChanged = tools.changed.tokens.before > 0;
  const { tokens } = isChanged ? tools.changed : tools.watched;
  const share = savedShare(tokens);
  if (share === undefined) return undefined;
  return {
    label: isChanged ? 'Tool tokens saved' : 'Tool tokens that would be saved',
    value: formatShare(share),
    detail: `${formatCompact(tokens.before - tokens.after)} of ${formatCompact(tokens.before)}, estimated${isChanged ? '' : ', searches aside'}`,
  };
}

/** Returns the difference measured between the arms, or else the estimate. */
function moneyTile({ money: { measured, estimated, currency } }: Sections): Tile | undefined {
  if (measured?.interval !== undefined && measured.isFair) {
    const { difference, interval } = measured;
    const [low, high] = [interval.low, interval.high].map((end) => formatSigned(end, currency));
    return {
      label: 'Cost of an exchange, measured',
      value: formatSigned(difference, currency),
      detail: `${low} to ${high} likely, by deferring`,
    };
  }
  const { exchanges, low, high } = estimated;
  if (exchanges === 0) return undefined;
  const range = [low.saved, high.saved].map((saved) => formatSigned(saved, currency));
  return {
    label: 'Saved, estimated',
    value: [...new Set(range)].join(' to '),
    detail: `in ${formatCount(exchanges)} exchanges that deferred`,
  };
}

function rateTile(label: string, rate: Rate, of: string): Tile | undefined {
  if (rate.share === undefined) return undefined;
  return {
    label,
    value: formatShare(rate.share),
    detail: `${formatInterval(rate)} likely, of ${formatCount(rate.whole)} ${of}`,
  };
}

/** Returns the rate of the models' searches if there are any, else of shadow searches. */
function failedSearches({ fallbacks, watching }: Sections): Rate {
  return fallbacks.failedSearches.whole > 0 ? fallbacks.failedSearches : watching.failedSearches;
}

function addedTile({ latency }: Sections): Tile | undefined {
  const added = latency.full?.added;
  if (added === undefined) return undefined;
  return {
    label: 'Added latency, p95',
    value: formatMs(added.p95),
    detail: `${formatMs(added.p50)} p50, ${formatMs(added.p99)} p99`,
  };
}

function sessionsTile({ sessions }: Sections): Tile | undefined {
  if (sessions.sampled === 0) return undefined;
  return {
    label: 'Sessions',
    value: `${sessions.isExact ? '' : '≈ '}${formatCount(sessions.count)}`,
    detail: `${sessions.exchangesPerSession.mean.toFixed(1)} exchanges each`,
  };
}
