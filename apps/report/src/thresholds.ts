/**
 * The limits of the verdict; docs/operations/report.md gives the reason of each. They are defaults for teams
 * without their own limits: the report shows every number with its limit, so that readers can apply others.
 */
export const THRESHOLDS = {
  /** Exchanges whose model called a deferred tool that the selector had not picked. */
  missedShare: 0.1,
  /** Searches that failed, so that all tools were shown. */
  failedSearchShare: 0.01,
  /** Observations dropped because too much waited to be watched. */
  droppedShare: 0.05,
  /** Observations ended by a defect. */
  defectShare: 0.01,
  /** Exchanges whose original bytes had to be sent after the edited ones. */
  restoredShare: 0.01,
  /** Models' searches that found nothing, or too little: some of them for tools that exist. */
  vainShare: 0.05,
  /** Exchanges whose model searched in vain and then called nothing, or called a tool that it could not see. */
  withoutToolShare: 0.02,
  /** Exchanges with a search that was not answered, because the limit was reached. */
  limitedShare: 0.02,
  /** Exchanges in which the session store could not be read or written. */
  sessionErrorShare: 0.01,
  /** Exchanges that failed: no 2xx response, or not a whole one. */
  failedShare: 0.01,
  /** The failures allowed in addition to those of the other arms that alter nothing. */
  extraFailureShare: 0.01,
  /** The 95th percentile of a shadow search, which a model would wait for. */
  searchP95Ms: 500,
  /** 95th percentile of the time that clients wait for the proxy's own work. */
  addedP95Ms: 300,
  /** Share of the tools' tokens that is saved at least. */
  savedShare: 0.1,
  /** Largest share by which an exchange may cost more with deferring, while a loss is not sure. */
  dearerShare: 0.02,
  /** With fewer values, a 95th percentile or a saving means nothing. */
  fewestValues: 200,
} as const;
