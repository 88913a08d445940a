//! Values in manifests and files of rules, with their locations for error messages.

use std::fmt::Display;

use serde_json::{Map, Value};

use crate::assembly::Properties;
use crate::error::ClashError;

/// A value in a manifest or a file of rules, with its location.
#[derive(Clone, Debug)]
pub struct At<'a> {
    /// The value.
    pub value: &'a Value,
    /// The value's location, for error messages.
    pub place: String,
}

impl<'a> At<'a> {
    /// An error about the value.
    pub fn error(&self, what: impl Display) -> ClashError {
        ClashError::new(format!("{}: {what}", self.place))
    }

    /// The value as an object that has no keys but the given ones.
    ///
    /// # Errors
    /// If the value is not an object, or has another key.
    pub fn object(&self, keys: &[&str]) -> Result<&'a Map<String, Value>, ClashError> {
        let object = self.value.as_object().ok_or_else(|| self.error("expected an object"))?;
        match object.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => {
                Err(self.error(format!("unknown key '{key}'")).hint(format!("known keys: {}", keys.join(", "))))
            }
            None => Ok(object),
        }
    }

    /// The value of a key of this object; `None` if there is none.
    pub fn get(&self, key: &str) -> Option<At<'a>> {
        Some(At { value: self.value.get(key)?, place: format!("{}: {key}", self.place) })
    }

    /// The items of this list.
    ///
    /// # Errors
    /// If the value is not a list.
    pub fn items(&self) -> Result<Vec<At<'a>>, ClashError> {
        let items = self.value.as_array().ok_or_else(|| self.error("expected a list"))?;
        Ok(items.iter().enumerate().map(|(i, value)| At { value, place: format!("{}[{i}]", self.place) }).collect())
    }

    /// The value as text.
    ///
    /// # Errors
    /// If the value is not text.
    pub fn text(&self) -> Result<&'a str, ClashError> {
        self.value.as_str().ok_or_else(|| self.error("expected text"))
    }

    /// The value as text that is not empty.
    ///
    /// # Errors
    /// If the value is not text, or is empty.
    pub fn filled(&self) -> Result<&'a str, ClashError> {
        let text = self.text()?;
        if text.is_empty() { Err(self.error("expected text that is not empty")) } else { Ok(text) }
    }

    /// The value as an object whose values are texts.
    ///
    /// # Errors
    /// If the value is not an object of texts.
    pub fn texts(&self) -> Result<Properties, ClashError> {
        let object = self.value.as_object().ok_or_else(|| self.error("expected an object"))?;
        let text = |(key, value): (&String, &Value)| match value.as_str() {
            Some(text) => Ok((key.clone(), text.to_owned())),
            None => Err(self.error(format!("{key}: expected text"))),
        };
        object.iter().map(text).collect()
    }

    /// The value as a list of texts; a single text counts as a list of one.
    ///
    /// # Errors
    /// If the value is neither text nor a list of texts.
    pub fn text_or_texts(&self) -> Result<Vec<&'a str>, ClashError> {
        if let Some(text) = self.value.as_str() {
            return Ok(vec![text]);
        }
        self.value
            .as_array()
            .and_then(|items| items.iter().map(Value::as_str).collect())
            .ok_or_else(|| self.error("expected text or a list of texts"))
    }

    /// The value as a list of two texts.
    ///
    /// # Errors
    /// If the value is not a list of two texts.
    pub fn pair(&self) -> Result<[String; 2], ClashError> {
        let texts = self.items()?.iter().map(|item| item.text().map(str::to_owned)).collect::<Result<Vec<_>, _>>()?;
        texts.try_into().map_err(|_| self.error("expected two names"))
    }

    /// The value as a list of `N` finite numbers.
    ///
    /// # Errors
    /// If the value is not a list of `N` finite numbers.
    pub fn numbers<const N: usize>(&self) -> Result<[f64; N], ClashError> {
        let wrong = || self.error(format!("expected {N} finite numbers"));
        let numbers: Option<Vec<f64>> = self.value.as_array().ok_or_else(wrong)?.iter().map(Value::as_f64).collect();
        let numbers = numbers.filter(|numbers| numbers.iter().all(|x| x.is_finite())).ok_or_else(wrong)?;
        numbers.try_into().map_err(|_| wrong())
    }

    /// The value as a length: a finite number, 0 or more.
    ///
    /// # Errors
    /// If the value is not a finite number, or is negative.
    pub fn length(&self) -> Result<f64, ClashError> {
        let length = self.value.as_f64().filter(|x| x.is_finite() && *x >= 0.0);
        length.ok_or_else(|| self.error("expected a finite number, 0 or more"))
    }

    /// The value as true or false.
    ///
    /// # Errors
    /// If the value is not a boolean.
    pub fn yes_or_no(&self) -> Result<bool, ClashError> {
        self.value.as_bool().ok_or_else(|| self.error("expected true or false"))
    }
}
