/** `currencyDigits`: decimals of an amount, so that 3500 minor units with 2 digits are 35.00. */
export type Currency = { currency: string; currencyDigits: number };

// ISO 4217 list one as published on 2024-06-25, with amendment 176 (XCG), without precious metals,
// test codes and currencies of institutions. Node's Intl has other decimals: CLDR's, for cash.
const CODES_BY_DIGITS = [
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  "",
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
   CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL
   GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD
   LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
   PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
   TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  "BHD IQD JOD KWD LYD OMR TND",
  "CLF UYW",
];

const digitsByCode = new Map(
  CODES_BY_DIGITS.flatMap((codes, digits) =>
    [...codes.matchAll(/[A-Z]{3}/g)].map(([code]) => [code, digits]),
  ),
);

export const CURRENCY_CODES: readonly string[] = [...digitsByCode.keys()].sort();

/** Returns the currency with the decimals of ISO 4217; 2 for an unknown code. */
export const isoCurrency = (code: string): Currency => ({
  currency: code,
  currencyDigits: digitsByCode.get(code) ?? 2,
});

export type CurrencyChange = { from: Currency; to: Currency };

export const currencyChange = (from: Currency, to: Currency): CurrencyChange | null =>
  from.currency === to.currency && from.currencyDigits === to.currencyDigits
    ? null
    : { from: pickCurrency(from), to: pickCurrency(to) };

const pickCurrency = ({ currency, currencyDigits }: Currency): Currency => ({
  currency,
  currencyDigits,
});

/** Returns the end of a sentence about the change: `from CHF to EUR`. */
export const currencyChangeText = ({ from, to }: CurrencyChange): string =>
  from.currency === to.currency
    ? `${from.currency} from ${from.currencyDigits} to ${to.currencyDigits} decimals`
    : `from ${from.currency} to ${to.currency}`;
