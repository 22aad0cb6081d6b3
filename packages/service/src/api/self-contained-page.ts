import { createHash } from 'node:crypto';

/** A page, and the style and the script that belong in its empty elements. */
export interface PageParts {
  readonly html: string;
  readonly style: string;
  readonly script: string;
}

/** A page that loads nothing, and its headers. */
export interface SelfContainedPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the page with its style and its script, and a policy that allows them alone, requests to this service, and no framing. */
export function selfContainedPage({ html, style, script }: PageParts): SelfContainedPage {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: html
      .replace('<style>', (tag) => tag + style)
      .replace('<script type="module">', (tag) => tag + script),
  };
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
