import type { RegistryStatus } from '@winnow/clients';
import type { MeaningGap, SearchResponse } from '@winnow/core';
import type { Selection, ToolExplanation } from '@winnow/ranking';
import { threeDecimals } from '@winnow/service';
import type { ParsedQuery } from './parse-request.ts';

/** Facts in a response besides the selection. */
export interface ResponseFacts {
  readonly index: 'built' | 'cached';
  readonly elapsedMs: number;
  readonly explanations: readonly ToolExplanation[];
  readonly degraded: MeaningGap | undefined;
  readonly status: RegistryStatus | undefined;
}

/** Returns a selection in the form of the contract. */
export function toResponse(
  query: ParsedQuery,
  selection: Selection,
  { index, elapsedMs, explanations, degraded, status }: ResponseFacts,
): SearchResponse {
  const response: SearchResponse = { selected_names: [...selection.names] };
  if (selection.noMatch) response.no_match = true;
  Object.assign(response, toDoubt(selection));
  if (selection.byPattern !== undefined) {
    response.by_pattern = selection.byPattern.map((one) => ({
      selected_names: [...one.names],
      ...toDoubt(one),
    }));
  }
  if (query.include.includes('scores')) {
    response.tool_references = selection.references.map((reference) => ({
      tool_name: reference.name,
      relevance_score: threeDecimals(reference.score),
      summary: reference.summary,
      ...(reference.confidence !== undefined && { confidence: threeDecimals(reference.confidence) }),
      matched_on: [...reference.matchedOn],
    }));
  }
  if (query.include.includes('metadata')) {
    response.search_metadata = {
      search_type: selection.searchType,
      total_matches: selection.totalMatches,
      execution_time_ms: threeDecimals(elapsedMs),
      index,
      always_keep_left_out: selection.keptLeftOut,
      ...(degraded && { degraded: true, degraded_reason: degraded }),
      ...(status && { registry_version: status.version }),
      ...(status?.state === 'away' && { registry_away_ms: Math.round(status.awayMs) }),
    };
  }
  if (query.explain.length > 0) {
    response.explanations = explanations.map(({ rank = null, score, meaning, matched, missing, name }) => ({
      name,
      rank,
      score: threeDecimals(score),
      ...(meaning !== undefined && { meaning: threeDecimals(meaning) }),
      matched: [...matched],
      missing: [...missing],
    }));
  }
  return response;
}

function toDoubt({
  certainty,
  unknownWords,
}: Pick<Selection, 'certainty' | 'unknownWords'>): Pick<SearchResponse, 'certainty' | 'unknown_words'> {
  return {
    ...(certainty !== 'found' && { certainty }),
    ...(unknownWords.length > 0 && { unknown_words: [...unknownWords] }),
  };
}
