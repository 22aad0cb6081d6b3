/**
 * A vendor whose conventions an upstream follows: everything that is neither a wire format's nor one address's own. Plain data but for two
 * functions.
 *
 * Contract: code that has to tell one vendor from another asks here, and nowhere else. A new vendor is one literal in `vendors/` and one line
 * in `vendors.ts`: the settings, the built-in upstream, credentials and error shapes follow from it.
 */
export interface Vendor extends VendorSignature, VendorCredentials {
  /** In settings (`upstreams.{name}.format`), in traces, and as the name of its built-in upstream. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Where the built-in upstream is. */
  readonly baseUrl: string;
  /** What its clients put between the base URL that they are given and the path of a request. */
  readonly clientBasePath: string;
  /** The JSON body of an error that the proxy itself makes, in the shape that clients of this vendor read. */
  errorBody(error: ProxyError): string;
  /** Origins of which the vendor's own documentation is true, load modes and all. Of other servers only the operator knows. */
  readonly origins: readonly string[];
  /** Where others serve this vendor's API, by conventions of their own. None by default. */
  readonly clouds?: readonly VendorCloud[];
  /** Statuses by which a server says that it does not take a request as it is, so that another form of it is worth a try. */
  readonly rejections: readonly number[];
  /**
   * How a server refuses thinking in the history that is not where it was thought; undefined where none is bound. Then the request is worth
   * another try without it.
   */
  readonly thinkingRefusal: ThinkingRefusal | undefined;
}

/** The marks by which a request shows whose client sent it. */
export interface VendorSignature {
  /**
   * Paths that are this vendor's alone, each with everything below it: they go to its built-in upstream whatever the headers say, and never
   * begin with the name of an upstream.
   */
  readonly ownPaths: readonly string[];
  /** Paths that clients of several vendors use, each with everything below it. They tell that a request is for one of those at all. */
  readonly sharedPaths?: readonly string[];
  /** How paths end that only clients of this vendor send: they tell it from others on the paths that several have. */
  readonly ownPathEnds?: readonly string[];
  /** How the vendor's keys begin where no other vendor's do: they tell its clients from others on shared paths. */
  readonly keyPrefixes?: readonly string[];
  /** Headers that only clients of this vendor send: they tell it from others on the paths that several have. Small letters. */
  readonly ownHeaders: readonly string[];
}

/** The places of a vendor's credentials. */
export interface VendorCredentials {
  /** Headers in which clients of this vendor send a credential, in small letters. */
  readonly credentialHeaders: readonly string[];
  /** Parameters of the query in which they send one. None by default. */
  readonly credentialParameters?: readonly string[];
  /** The header by which a key of the operator's own is sent. */
  writeCredential(apiKey: string): readonly [name: string, value: string];
}

/** A cloud that serves a vendor's API: only what differs from the vendor's own addresses. */
export interface VendorCloud {
  /** For people. */
  readonly title: string;
  /** Fits the host names of its addresses, in small letters. */
  readonly host: RegExp;
  /** How a key of the operator's own is sent there; as everywhere else when it is left out. */
  readonly writeCredential?: Vendor['writeCredential'];
  /** The first segment of its own paths, where that is also the name of an upstream: there it belongs to the path. */
  readonly pathRoot?: string;
  /** Whether it documents the vendor's load modes for its own addresses. False by default. */
  readonly hasLoadModes?: boolean;
}

/** An error of the proxy, before it has a vendor's shape. */
export interface ProxyError {
  /** The HTTP status that it is sent with, or would be. */
  readonly status: number;
  /** The proxy's own word for it; undefined when there is none. */
  readonly code?: string | undefined;
  readonly message: string;
}

/** An error response by which thinking is refused. */
export interface ThinkingRefusal {
  readonly status: number;
  /** Words of the body that no other refusal has: one of them is enough. */
  readonly words: readonly string[];
}
