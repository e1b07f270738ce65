"""Authlib, a client library of OAuth 2.0 and OpenID Connect of another language: every grant that a site or a program uses, and the end of it."""

import html
import json
import os
import re
from urllib.parse import parse_qs, urlsplit

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oidc.core import CodeIDToken

from lab import CA, PERSON_PASSWORD, end, holds, same, step

ISSUER = os.environ["LAB_ISSUER"]
SECRET = os.environ["LAB_WEB_SECRET"]
KEY = json.loads(os.environ["LAB_WEB_KEY"])
BACK = "https://app.example.com/back"
OUT = "https://app.example.com/out"

metadata = {}
kept = {}
browser = requests.Session()
browser.verify = CA


def session(client_id="lab-web", secret=SECRET, **more):
    client = OAuth2Session(client_id, secret, redirect_uri=BACK, code_challenge_method="S256", **more)
    client.verify = CA
    return client


def refused(word, act):
    try:
        act()
    except OAuthError as error:
        return same(error.error, word, "the error")
    raise AssertionError("it was not refused")


def come_back(url):
    """Follows a browser from a request until it is led back to the application. @returns the whole address"""
    answer = browser.get(url, allow_redirects=False)
    for _ in range(10):
        to = answer.headers.get("location", "")
        if to.startswith("https://app.example.com/"):
            return to
        if to != "":
            answer = browser.get(requests.compat.urljoin(answer.url, to), allow_redirects=False)
            continue
        token = re.search(r'name="csrf" value="([^"]*)"', answer.text)
        holds(token is not None, "no form at %s: %s" % (answer.url, answer.text[:300]))
        form = {"csrf": html.unescape(token.group(1)), "username": "jmueller", "password": PERSON_PASSWORD}
        answer = browser.post(answer.url, data=form, allow_redirects=False)
    raise AssertionError("led around at %s" % answer.url)


def authorize(client, **more):
    verifier = generate_token(48)
    nonce = generate_token(20)
    url, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce, **more)
    back = come_back(url)
    same(parse_qs(urlsplit(back).query)["iss"], [ISSUER], "iss of the answer (RFC 9207)")
    return {"authorization_response": back, "state": state, "code_verifier": verifier}, nonce


def claims_of(token, client_id, nonce):
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"], verify=CA).json())
    options = {"iss": {"essential": True, "value": ISSUER}, "aud": {"essential": True, "value": client_id}}
    params = {"nonce": nonce, "client_id": client_id}
    claims = JsonWebToken(["ES256"]).decode(token, keys, claims_cls=CodeIDToken, claims_options=options, claims_params=params)
    claims.validate()
    return claims


@step("discovery says where everything is")
def _():
    metadata.update(requests.get(ISSUER + "/.well-known/openid-configuration", verify=CA).json())
    same(metadata["issuer"], ISSUER, "issuer")


@step("code flow with PKCE: the person signs in, and the ID token verifies by the published keys")
def _():
    client = session(scope="openid profile email offline_access")
    answered, nonce = authorize(client)
    kept["token"] = client.fetch_token(metadata["token_endpoint"], **answered)
    claims = claims_of(kept["token"]["id_token"], "lab-web", nonce)
    holds(claims["sub"].startswith("urn:uuid:"), claims["sub"])
    kept["sub"] = claims["sub"]
    kept["answered"] = answered


@step("userinfo: what the scopes tell, of the same person")
def _():
    told = session(token=kept["token"]).get(metadata["userinfo_endpoint"]).json()
    same(told["sub"], kept["sub"], "sub")
    same(told["name"], "Jürgen Müller", "name")
    same(told["email"], "juergen.mueller@example.com", "email")


@step("introspection: in force, with client and scope")
def _():
    said = session().introspect_token(metadata["introspection_endpoint"], token=kept["token"]["access_token"]).json()
    same((said["active"], said["client_id"], said["sub"]), (True, "lab-web", kept["sub"]), "what it says")


@step("refresh: a new pair, and the refresh token of before is worth nothing; its family goes with it")
def _():
    client = session(token=kept["token"])
    before = kept["token"]["refresh_token"]
    after = client.refresh_token(metadata["token_endpoint"], refresh_token=before)
    holds(after["refresh_token"] != before, "the same refresh token again")
    refused("invalid_grant", lambda: session().refresh_token(metadata["token_endpoint"], refresh_token=before))
    refused("invalid_grant", lambda: session().refresh_token(metadata["token_endpoint"], refresh_token=after["refresh_token"]))
    same(session(token=after).get(metadata["userinfo_endpoint"]).status_code, 401, "userinfo")


@step("a code that was used, and one with another verifier, are refused")
def _():
    refused("invalid_grant", lambda: session().fetch_token(metadata["token_endpoint"], **kept["answered"]))
    answered, _ = authorize(session(scope="openid"))
    answered["code_verifier"] = generate_token(48)
    refused("invalid_grant", lambda: session().fetch_token(metadata["token_endpoint"], **answered))


@step("a wrong secret is refused")
def _():
    answered, _ = authorize(session(scope="openid"))
    refused("invalid_client", lambda: session(secret="wrong").fetch_token(metadata["token_endpoint"], **answered))


@step("private_key_jwt: an application that signs with a key of its own, and not with another one")
def _():
    client = session("lab-signs", KEY, scope="openid", token_endpoint_auth_method="private_key_jwt")
    client.register_client_auth_method(PrivateKeyJWT(metadata["token_endpoint"], alg="ES256"))
    answered, nonce = authorize(client)
    token = client.fetch_token(metadata["token_endpoint"], **answered)
    claims_of(token["id_token"], "lab-signs", nonce)
    stranger = JsonWebKey.generate_key("EC", "P-256", {"kid": KEY["kid"]}, is_private=True).as_dict(is_private=True)
    other = session("lab-signs", stranger, scope="openid", token_endpoint_auth_method="private_key_jwt")
    other.register_client_auth_method(PrivateKeyJWT(metadata["token_endpoint"], alg="ES256"))
    answered, _ = authorize(other)
    refused("invalid_client", lambda: other.fetch_token(metadata["token_endpoint"], **answered))


@step("client_credentials: a token for a resource is a JWT with its audience (RFC 9068)")
def _():
    token = session().fetch_token(metadata["token_endpoint"], grant_type="client_credentials", resource="https://api.example.com")
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"], verify=CA).json())
    claims = JsonWebToken(["ES256"]).decode(token["access_token"], keys)
    same((claims["aud"], claims["iss"], claims["client_id"]), ("https://api.example.com", ISSUER, "lab-web"), "what it says")
    same(claims.header["typ"], "at+jwt", "typ")


@step("revocation: what was revoked is worth nothing")
def _():
    client = session(scope="openid")
    answered, nonce = authorize(client)
    token = client.fetch_token(metadata["token_endpoint"], **answered)
    same(session().revoke_token(metadata["revocation_endpoint"], token=token["refresh_token"]).status_code, 200, "status")
    refused("invalid_grant", lambda: session().refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"]))


@step("logout: the browser is led back, the session is over and with it what was issued in it")
def _():
    client = session(scope="openid")
    answered, _ = authorize(client)
    token = client.fetch_token(metadata["token_endpoint"], **answered)
    same(session(token=token).get(metadata["userinfo_endpoint"]).status_code, 200, "userinfo before")
    asked = {"id_token_hint": token["id_token"], "post_logout_redirect_uri": OUT, "state": "of mine"}
    left = browser.get(metadata["end_session_endpoint"], params=asked, allow_redirects=False)
    same(left.headers["location"], OUT + "?state=of+mine", "where it leads")
    same(session(token=token).get(metadata["userinfo_endpoint"]).status_code, 401, "userinfo after")
    silent, _ = session(scope="openid").create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=generate_token(48), prompt="none"
    )
    same(parse_qs(urlsplit(come_back(silent)).query)["error"], ["login_required"], "prompt=none")


end()
