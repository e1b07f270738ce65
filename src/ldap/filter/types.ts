/** A search filter (RFC 4511 §4.5.1.7). Attribute descriptions and values are as they came; matching them is the schema's business. */
export type Filter =
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  | { readonly kind: 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'equality'; readonly description: string; readonly value: Uint8Array }
  | {
      readonly kind: 'substrings';
      readonly description: string;
      readonly initial?: Uint8Array;
      readonly any: readonly Uint8Array[];
      readonly final?: Uint8Array;
    }
  | { readonly kind: 'greaterOrEqual'; readonly description: string; readonly value: Uint8Array }
  | { readonly kind: 'lessOrEqual'; readonly description: string; readonly value: Uint8Array }
  | { readonly kind: 'present'; readonly description: string }
  | { readonly kind: 'approx'; readonly description: string; readonly value: Uint8Array }
  | {
      readonly kind: 'extensible';
      readonly rule?: string;
      readonly description?: string;
      readonly value: Uint8Array;
      readonly dnAttributes: boolean;
    };
