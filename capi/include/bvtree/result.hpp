/* Errors: thrown, or returned if exceptions are disabled. */
#ifndef BVTREE_RESULT_HPP
#define BVTREE_RESULT_HPP

#include <optional>
#include <string>
#include <utility>

#include "../bvtree.h"

#if !defined(BVTREE_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define BVTREE_NO_EXCEPTIONS
#endif

#ifndef BVTREE_NO_EXCEPTIONS
#include <stdexcept>
#endif

namespace bvtree {

using Status = BvtStatus;

#ifndef BVTREE_NO_EXCEPTIONS

/* An error: a status and a message for people. */
class Error : public std::runtime_error {
public:
    Error(Status status, const char *text) : std::runtime_error(text), status_(status) {}
    Status status() const noexcept { return status_; }

private:
    Status status_;
};

/* With exceptions, a result is the value itself; errors are thrown. */
template <class T>
using Result = T;

namespace detail {

/* Without a text, the message is that of the call that returned the status. */
inline void done(Status status, const char *text = nullptr) {
    if (status < 0) throw Error(status, text ? text : bvt_last_error());
}

template <class T>
T answer(Status status, T &&value, const char *text = nullptr) {
    done(status, text);
    return std::forward<T>(value);
}

} // namespace detail

#else

/* An error: a status and a message for people. */
class Error {
public:
    Error(Status status, const char *text) : text_(text), status_(status) {}
    Status status() const noexcept { return status_; }
    const char *what() const noexcept { return text_.c_str(); }

private:
    std::string text_;
    Status status_;
};

/* A value or an error. */
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const noexcept { return value_.has_value(); }
    /* The value; undefined behaviour if there is none. */
    T &operator*() & noexcept { return *value_; }
    const T &operator*() const & noexcept { return *value_; }
    T &&operator*() && noexcept { return std::move(*value_); }
    T *operator->() noexcept { return &*value_; }
    const T *operator->() const noexcept { return &*value_; }
    /* The error; undefined behaviour if there is none. */
    const Error &error() const noexcept { return *error_; }

private:
    std::optional<T> value_;
    std::optional<Error> error_;
};

/* Success without a value, or an error. */
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const noexcept { return !error_.has_value(); }
    const Error &error() const noexcept { return *error_; }

private:
    std::optional<Error> error_;
};

namespace detail {

/* Without a text, the message is that of the call that returned the status. */
inline Result<void> done(Status status, const char *text = nullptr) {
    if (status < 0) return Error(status, text ? text : bvt_last_error());
    return {};
}

template <class T>
Result<T> answer(Status status, T &&value, const char *text = nullptr) {
    if (status < 0) return Error(status, text ? text : bvt_last_error());
    return Result<T>(std::forward<T>(value));
}

} // namespace detail

#endif

namespace detail {

/* Converts a result that may be missing to std::optional. */
template <class T>
Result<std::optional<T>> optional(Status status, const T &value, const char *text = nullptr) {
    return answer(status, status == BVT_OK ? std::optional<T>(value) : std::optional<T>(), text);
}

} // namespace detail
} // namespace bvtree

#endif
