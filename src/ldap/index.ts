export { type BerReader, type BerWriter, decodeBer, encodeBer } from './ber/values.ts';
export {
  type Description,
  formatDescription,
  isAttributeType,
  isNumericOid,
  parseDescription,
} from './description.ts';
export { type Ava, type Dn, formatDn, formatRdn, parentOf, parseDn, parseRdn, type Rdn } from './dn.ts';
export { formatFilter, type ParsedFilter, parseFilter } from './filter/parse.ts';
export type { Filter } from './filter/types.ts';
export {
  parseAttributeType,
  parseDitContentRule,
  parseDitStructureRule,
  parseMatchingRule,
  parseMatchingRuleUse,
  parseNameForm,
  parseObjectClass,
  parseSyntax,
} from './grammar/parse.ts';
export {
  printAttributeType,
  printDitContentRule,
  printDitStructureRule,
  printMatchingRule,
  printMatchingRuleUse,
  printNameForm,
  printObjectClass,
  printSyntax,
} from './grammar/print.ts';
export type {
  AttributeTypeDescription,
  DitContentRuleDescription,
  DitStructureRuleDescription,
  Extensions,
  MatchingRuleDescription,
  MatchingRuleUseDescription,
  NameFormDescription,
  ObjectClassDescription,
  Parsed,
  SyntaxDescription,
} from './grammar/types.ts';
export { readLdif, readLdifOn } from './ldif/read.ts';
export { createLdifText, type LdifText } from './ldif/text.ts';
export {
  criticalControl,
  type LdifChange,
  type LdifContent,
  LdifError,
  type LdifFault,
  type LdifLimits,
  type LdifRecord,
} from './ldif/types.ts';
export { formatLdifRecord, ldifHeader } from './ldif/write.ts';
export type { LdapLimits } from './limits.ts';
export {
  decodeAttributes,
  decodeValue,
  encodeAttributeHead,
  encodeAttributes,
  encodeValue,
  KeptAttribute,
  walkAttributes,
  walkValues,
} from './message/attributes.ts';
export { type Decoded, decodeMessage } from './message/decode.ts';
export { encodeMessage } from './message/encode.ts';
export { type Frame, readFrame } from './message/frame.ts';
export { notUniqueWords, type ResultCode, type ResultName, resultCodes, resultName } from './message/results.ts';
export { type OperationName, operationTags } from './message/tags.ts';
export type {
  Authentication,
  Control,
  Message,
  Modification,
  PartialAttribute,
  Request,
  Response,
  Result,
  SearchRequest,
} from './message/types.ts';
export { createWriter, type MessageWriter } from './message/writer.ts';
export { formatLdapUrl, type LdapUrl, type ParsedUrl, parseLdapUrl, type UrlExtension } from './url.ts';
